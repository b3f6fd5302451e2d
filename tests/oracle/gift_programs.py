"""Programs that hand arrays to functions which change them: each way in which a copy is needed."""

from typing import Final

_PUSH: Final = "fn push(xs: [int], v: int) -> [int] { xs[xs.length] = v; xs }\n"

GIFTS: Final[dict[str, str]] = {
    "an argument given away while a list made before holds it": _PUSH
    + """
        let mut a: [int] = [1];
        let kept: [[int]] = [a];
        a = push(a, 2);
        kept; a;
    """,
    "an argument given away in a loop that keeps earlier ones": _PUSH
    + """
        let mut all: [[int]] = [];
        let mut a: [int] = [];
        for i in 0..4 { a = push(a, i); if i % 2 == 1 { all[all.length] = a; } }
        all; a;
    """,
    "an argument that is read after its call": _PUSH
    + """
        let mut a: [int] = [1];
        let b = push(a, 2);
        let c = push(a, 3);
        a = push(c, 4);
        a; b; c;
    """,
    "an argument that a comparison holds": _PUSH
    + """
        let mut a: [int] = [1];
        println(a == push(a, 2));
        a = [5];
        println([a, push(a, 6)]);
        a = [7];
        push(push(a, 8), a.length);
    """,
    "an argument given twice": """
        fn both(x: [int], y: [int]) -> [int] { x[0] = 9; y[y.length] = 1; x + y }
        let mut a: [int] = [1, 2];
        a = both(a, a);
        let mut b: [int] = [3];
        b = both(b, b + [4]);
        a; b;
    """,
    "an argument given away by a turn that ends early": _PUSH
    + """
        let mut a: [int] = [];
        let mut b: [int] = [];
        for i in 0..6 {
            if i == 2 { continue; }
            if i == 5 { break; }
            b = push(a, i);
            if i == 3 { a = b; b = []; continue; }
            a = push([i], i);
        }
        a; b;
    """,
    "parameters passed on in loops": _PUSH
    + """
        fn fill(xs: [int], n: int) -> [int] { for i in 0..n { xs = push(xs, i); } xs }
        fn two(xs: [int]) -> [[int]] {
            let mut out: [[int]] = [];
            for i in 0..2 { out[i] = fill(xs, i + 1); xs = [i]; }
            out
        }
        let a: [int] = [7];
        let b = fill(a, 2);
        a; b; two(a); a; fill(fill([], 1), 2);
    """,
    "a parameter of which only some branches give away": _PUSH
    + """
        fn some(xs: [int], n: int) -> [int] {
            if n == 0 => { xs } else if n == 1 => { push(xs, n) }
            else => { some(push(xs, n), n - 1) }
        }
        let a: [int] = [7];
        some(a, 0); some(a, 1); some(a, 3); a;
    """,
    "a map that a map loop still reads": """
        fn put(m: map<int>, k: string, v: int) -> map<int> { m[k] = v; m }
        let mut m: map<int> = {a: 1, b: 2};
        let mut last: map<int> = {};
        for (k: string, v: int) in &m { last = put(m, "c", v); }
        m = put(m, "d", 4);
        m.length; last.length;
    """,
    "an argument that a later one changes": _PUSH
    + """
        let mut a: [int] = [1];
        a = push(a, (if true => { a[0] = 5; a.length } else => { 0 }));
        a = push(a, (if true => { a = [8]; 2 } else => { 0 }));
        a;
    """,
    "values matched by name": _PUSH
    + """
        fn opt(xs: [int]?) -> [int] { match xs { Some(v) => push(v, 1), _ => [] } }
        let a: [int] = [3];
        opt(a); a; opt(null);
        let t: [int]? = [4];
        let r: [int] = match t { Some(v) => push(v, v.length), _ => [] };
        r; t;
    """,
    "a variable that a closure has": _PUSH
    + """
        fn make() -> [int] { [1, 2] }
        let mut a: [int] = make();
        let look = || a.length;
        a = push(a, 3);
        look(); a.length;
    """,
    "maps whose elements are changed elsewhere": """
        fn put(m: map<[int]>, k: string, v: [int]) -> map<[int]> { m[k] = v; m }
        fn push(xs: [int], v: int) -> [int] { xs[xs.length] = v; xs }
        let mut m: map<[int]> = {};
        let mut row: [int] = [0];
        for i in 0..3 { row = push(row, i); m = put(m, "k" + i, row); }
        row = push(row, 9);
        m; row;
        let mut inner: [int] = &m["k0"];
        inner[0] = 77;
        m = put(m, "z", inner);
        inner[0] = 78;
        m; inner;
    """,
    "functions inside functions that call each other": """
        fn outer(n: int) -> [int] {
            let mut log: [int] = [];
            fn note(xs: [int], v: int) -> [int] { log[log.length] = v; xs[xs.length] = v + n; xs }
            fn again(xs: [int], v: int) -> [int] { note(note(xs, v), v + 1) }
            let mut a: [int] = [];
            for i in 0..3 { a = again(a, i); }
            let b = again(a, 10);
            a + b + log
        }
        outer(5);
    """,
    "closures that give away what is theirs or shared": """
        fn push(xs: [int], v: int) -> [int] { xs[xs.length] = v; xs }
        let mut total: [int] = [1];
        let f = |n| if true => {
            let mut t: [int] = [];
            for i in 0..n { t = push(t, i); }
            let u: [int] = push(t, 5);
            t.length + u.length
        } else => { 0 };
        let g = |n| if true => { total = push(total, n); total.length } else => { 0 };
        f(3); g(1); g(2); total;
        let h = |n| push(total, n);
        h(4); total;
    """,
    "type parameters and functions that call each other": """
        fn id<T>(x: T) -> T { x }
        fn add<T>(xs: [T], v: T) -> [T] { xs[xs.length] = v; xs }
        fn ping(xs: [int], n: int) -> [int] {
            xs[xs.length] = n; if n > 0 => { pong(xs, n - 1) } else => { xs }
        }
        fn pong(xs: [int], n: int) -> [int] {
            xs[0] = n; if n > 0 => { ping(xs, n - 1) } else => { xs }
        }
        let mut a: [int] = [0];
        let b = id::<[int]>(a);
        a = add::<int>(a, 1);
        a; b;
        let c = ping(a, 4); c; a;
        let mut d: [int] = ping(pong(c, 3), 1); d; c; a;
        d = add::<int>(id::<[int]>(d), 5); d;
        let e = d; d = add::<int>(d, 6); e; d;
    """,
    "structs that hold arrays": """
        struct S { xs: [int], n: int }
        fn bump(s: S) -> S { s.n = s.n + 1; s }
        fn grow(s: S) -> S { let mut xs: [int] = s.xs; xs[xs.length] = s.n; s.xs = xs; bump(s) }
        fn pair(s: S) -> [S] { [bump(s), s, grow(s)] }
        let mut s: S = {xs: [], n: 0};
        let first: S = s;
        s = grow(s); s = grow(grow(s));
        let p: [S] = pair(s);
        first; s; p;
        let t: S = if s.n > 2 => { bump(s) } else => { s };
        t; s;
    """,
    "results that recursion and refinement hold": """
        fn push(xs: [int], v: int) -> [int] { xs[xs.length] = v; xs }
        fn f(xs: [int], d: int) -> int {
            let ys = push(xs, d);
            if d == 0 => { ys.length } else => { f(ys, d - 1) + xs.length * 100 + ys.length }
        }
        f([], 3);
        let mut stack: [[int]] = [[1]];
        let mut seen = 0;
        while stack.length > 0 && seen < 20 {
            let top: [int] = &stack[stack.length - 1];
            stack = stack[:-1];
            seen += 1;
            if top.length < 4 {
                stack[stack.length] = push(top, 1);
                stack[stack.length] = push(top, 2);
            }
        }
        seen; stack;
        let w: [int]? = [3];
        let mut r: [int] = [];
        if w != null { r = push(w, 4); }
        r; w;
    """,
}
