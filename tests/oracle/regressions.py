"""Small programs behind bugs that the differential tests found, one for each kind; the last ones
are those that random programs seldom hit.
"""

from typing import Final

_MAKE = "fn make() -> [int] { [1, 2] }\n"

_DEPTH: Final = 14  # more loops than CPython nests blocks

PROGRAMS: Final[dict[str, str]] = {
    "a variable of a deep nest, bound before in a branch that is never taken": f"""
        fn deep(n: int) -> [int] {{
            let none = if false => {{ let list: [int] = [n]; list.length }} else => {{ 0 }};
            let mut all: [int] = [none];
            {' '.join(f'for d{at} in 0..1 {{' for at in range(_DEPTH))}
            let list: [int] = all.copy() + [n]; all = list;
            {'}' * _DEPTH}
            all
        }}
        deep(7);
    """,
    "a range whose end changes the loop's variable": """
        for mut n in -2..(n - (if true => { n = 7; 3 } else => { 0 })) % 5 + 1 { println(n); }
        n;
    """,
    "an array stored and then made anew in a loop that may skip its making": """
        let mut rows: [[int]] = [];
        let mut row: [int] = [0];
        for i in 0..6 {
            if i % 2 == 0 { row = [i]; }
            if i == 4 { continue; }
            row[row.length] = i;
            rows[rows.length] = row;
        }
        rows;
        let mut kept: [[int]] = [];
        for i in 0..4 {
            let mut fresh: [int] = [i];
            fresh[fresh.length] = 9;
            kept[kept.length] = fresh;
            if i == 2 { fresh[0] = 5; }
        }
        kept;
    """,
    "an array held while a branch changes it": """
        let mut a: [int] = [1, 2];
        a + (if true => { a[0] = 9; [1] } else => { [2] });
        a == (if true => { a[0] = 8; [8, 2] } else => { [1] });
    """,
    "an array held while a closure changes it": _MAKE
    + """
        let mut a: [int] = make();
        let bump: fn(int) -> int = |x| if true => { a[0] = x; 0 } else => { 0 };
        a + [bump(5)];
        a[bump(7)];
        println("{} {}", a, bump(8));
    """,
    "an argument that its own call changes": _MAKE
    + """
        let mut a: [int] = make();
        let bump: fn(int) -> int = |x| if true => { a[0] = x; 0 } else => { 0 };
        fn look(v: [int], f: fn(int) -> int) -> int { let r: int = f(9); v[0] + r }
        look(a, bump);
    """,
    "a variable added to while it changes": """
        let mut x = 1;
        x = x + (if true => { x = 50; 1 } else => { 0 });
        x;
        x += (if true => { x = 70; 1 } else => { 0 });
        x;
    """,
    "a text whose later part changes an earlier one": """
        let mut x = 1;
        x + (if true => { x = 7; 1 } else => { 0 }) + "a" + x;
        x + x + "a" + (if true => { x = 9; 1 } else => { 0 });
    """,
    "the key of a store before its value": """
        let mut m: map<int> = {a: 1};
        fn key(s: string) -> string { println("key"); s }
        fn value(i: int) -> int { println("value"); i }
        m[key("q")] = value(3);
        m;
    """,
    "the container of has before its key": """
        fn table() -> map<int> { println("table"); {a: 1} }
        fn key(s: string) -> string { println("key"); s }
        table().has(key("a"));
    """,
    "an append whose value appends": """
        let mut a: [int] = [];
        a[a.length] = (if true => { a[a.length] = 1; 2 } else => { 0 });
        a;
    """,
    "a function variable that its argument changes": """
        let mut f: fn(int) -> int = |n| n + 1;
        f(if true => { f = |n| n + 100; 1 } else => { 0 });
    """,
    "a closure that calls itself and is rebound": """
        let mut f: fn(int) -> int = |n| if n < 1 => { 0 } else => { let r: int = f(n - 1); r + 1 };
        f(3);
        f = |x| 7;
        f(3);
    """,
    "what print returns is what it printed": """
        let mut a: [int] = [1];
        let b: [int] = print(a);
        a[0] = 2;
        b;
    """,
    "loop variables of two deep nests": "".join(
        f"for d{n} in 0..{1 + (n > 11)} {{ " for n in range(14)
    )
    + "println(d13);"
    + "}" * 14
    + "".join(f"for d{n} in 0..1 {{ " for n in range(14))
    + "println(d12);"
    + "}" * 14,
    "a variable bound in a deep nest and after it": "".join(
        f"for d{n} in 0..1 {{ " for n in range(14)
    )
    + "let mut a: [int] = [1]; a[0] = 2;"
    + "}" * 14
    + "let a: [int] = [3]; a;",
    "an array stored in every turn of a loop and changed in the next": """
        let mut rows: [[int]] = [];
        let mut row: [int] = [1];
        for i in 0..3 { row[0] = row[0] + 1; row[row.length] = i; rows[rows.length] = row; }
        rows; row;
    """,
    "an array read at the start of a turn and changed at its end": """
        let mut a: [int] = [1];
        let mut seen: [[int]] = [];
        let mut turn = 0;
        while turn < 3 { let b: [int] = a; turn = turn + 1; a[0] = turn; seen = seen + [b]; }
        seen;
    """,
    "what a condition says ends where a loop changes the variable": """
        let a: [int] = [1, 2];
        let mut i = 1;
        let mut t = 0;
        if i >= 0 { while t < 3 { println(&a[i]); i = i - 1; t += 1; } }
    """,
    "closures that call themselves, kept past their turn of a loop": """
        let mut kept: [fn(int) -> int] = [];
        let mut through: fn(int) -> int = |n| n;
        let mut last: fn(int) -> int = |n| n;
        let mut calls = 0;
        for i in 0..3 {
            let g: fn(int) -> int = |n| if n < 1 => { i } else => {
                calls = calls + 1;
                let r: int = g(n - 1);
                r + 10
            };
            kept[kept.length] = g;
            if i == 0 { through = |n| g(n) + 100; }
            last = g;
        }
        let first = kept[0].copy();
        let second = kept[1].copy();
        println("{} {} {} {}", first(2), second(1), through(1), last(3));
        println("{} {}", g(1), calls);
    """,
    "closures that call themselves, in a loop of a function": """
        fn make(n: int) -> [fn(int) -> int] {
            let mut kept: [fn(int) -> int] = [];
            let mut i = 0;
            while i < n {
                let mut sum: fn(int) -> int = |k| if k < 1 => { i } else => {
                    let r: int = sum(k - 1);
                    r + k
                };
                kept[kept.length] = sum;
                sum = |k| k;
                i = i + 1;
            }
            kept
        }
        let made = make(3);
        let a = made[0].copy();
        let b = made[2].copy();
        a(4);
        b(4);
    """,
}
