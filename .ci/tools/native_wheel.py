"""Install a C++ binding (llama-cpp-python or stable-diffusion-cpp-python) from a cached wheel.

Both are published as source only. A missing wheel is built once, for any CPU of this architecture
unless FLINT_NATIVE=1 asks for -march=native, and kept in the user's cache folder.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wheel_file import is_wheel, rewrite_wheel

ROOT = Path(__file__).resolve().parents[2]
CONSTRAINTS = ROOT / "constraints.txt"
OLDEST_CMAKE = (3, 21)
COMPILERS = ("c++", "g++", "clang++", "cl")

# llama.cpp's own build without the helper library that the binding does not use (half the files).
LLAMA_CMAKE = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_SHARED_LIBS=ON",
    "-DLLAMA_BUILD_COMMON=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_TOOLS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_SERVER=OFF",
    "-DLLAMA_BUILD_APP=OFF",
    "-DLLAMA_OPENSSL=OFF",
    "-DGGML_CCACHE=OFF",
    "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON",
    # A wheel cannot hold the links libx.so -> libx.so.0, so the libraries carry plain names.
    "-DCMAKE_PLATFORM_NO_VERSIONED_SONAME=ON",
)


class BuildError(Exception):
    """The wheel cannot be built here; the text says what the user can do."""


@dataclass(frozen=True)
class Binding:
    """One C++ binding: the distribution on the package index and its import package."""

    distribution: str
    package: str


BINDINGS = {
    "llama": Binding("llama-cpp-python", "llama_cpp"),
    "sd": Binding("stable-diffusion-cpp-python", "stable_diffusion_cpp"),
}


def main() -> int:
    """Find or build the wheel named on the command line, then install it here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binding", choices=sorted(BINDINGS))
    parser.add_argument("--no-install", action="store_true", help="only fill the cache")
    options = parser.parse_args()
    binding = BINDINGS[options.binding]
    try:
        wheel = cached_wheel(binding) or build(binding)
        if not options.no_install:
            install(binding, wheel)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


# -- the cache ------------------------------------------------------------------------------------


def native_cpu() -> bool:
    """Whether the user asked for code that only this machine's kind of CPU can run."""
    return os.environ.get("FLINT_NATIVE", "0") not in ("", "0")


def pinned_version(distribution: str) -> str:
    """The version that constraints.txt names for `distribution`."""
    match = re.search(rf"^{re.escape(distribution)}==(\S+)$", CONSTRAINTS.read_text(), re.M)
    if match is None:
        raise BuildError(f"constraints.txt pins no version of {distribution}")
    return match.group(1)


def cache_folder(binding: Binding) -> Path:
    """Where wheels of this version for this platform, C library and kind of CPU are kept."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    version = pinned_version(binding.distribution)
    target = "-".join(
        (
            sysconfig.get_platform(),
            "".join(platform.libc_ver()) or "libc",
            f"native-{cpu_digest()}" if native_cpu() else "portable",
        )
    )
    return base / "flintc" / "wheels" / f"{binding.distribution}-{version}" / target


def cpu_digest() -> str:
    """A short name for this CPU's instruction sets, so that a shared cache stays correct."""
    try:
        text = Path("/proc/cpuinfo").read_text()
        features = "".join(re.findall(r"^(?:flags|Features)\s*:.*$", text, re.M)[:1])
    except OSError:
        features = platform.processor()
    return hashlib.sha256(features.encode()).hexdigest()[:12]


def cached_wheel(binding: Binding) -> Path | None:
    """The whole wheel in the cache, if there is one."""
    for wheel in sorted(filter(fits_this_python, cache_folder(binding).glob("*.whl"))):
        if is_wheel(wheel):
            print(f"    {binding.distribution}: using the wheel built earlier", flush=True)
            return wheel
        wheel.unlink()
    return None


def fits_this_python(wheel: Path) -> bool:
    """Whether the wheel's name allows this Python: `py3`, or exactly this version of CPython."""
    python_tag = wheel.stem.split("-")[-3]
    return python_tag in ("py3", f"cp{sys.version_info.major}{sys.version_info.minor}")


def store(binding: Binding, wheel: Path) -> Path:
    """Move a finished wheel into the cache in one step, so that no half-written one is found."""
    folder = cache_folder(binding)
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{wheel.name}.{os.getpid()}.part"
    shutil.copyfile(wheel, partial)
    return partial.replace(folder / wheel.name)


def install(binding: Binding, wheel: Path) -> None:
    """Install `wheel` and what it needs into the environment of this interpreter."""
    run(pip("install", "--quiet", "--no-deps", "--force-reinstall", str(wheel)))
    pinned = f"{binding.distribution}=={pinned_version(binding.distribution)}"
    run(pip("install", "--quiet", "--constraint", str(CONSTRAINTS), pinned))


# -- building -------------------------------------------------------------------------------------


def build(binding: Binding) -> Path:
    """Build the wheel in a temporary folder and return its place in the cache."""
    require_compiler(binding)
    started = time.monotonic()
    kind = "this CPU only" if native_cpu() else "any CPU of this architecture"
    print(f"    {binding.distribution}: building for {kind}; a few minutes, once", flush=True)
    with tempfile.TemporaryDirectory(prefix="flint-native-") as name:
        folder = Path(name)
        fast = binding.package == "llama_cpp" and os.name == "posix" and build_tools()
        wheel = build_llama(binding, folder) if fast else build_with_pip(binding, folder)
        stored = store(binding, wheel)
    print(f"    {binding.distribution}: built in {time.monotonic() - started:.0f} s", flush=True)
    return stored


def require_compiler(binding: Binding) -> None:
    """Raise with advice when there is no C++ compiler."""
    chosen = os.environ.get("CXX", "").split()[:1]
    if not any(shutil.which(name) for name in (*chosen, *COMPILERS)):
        raise BuildError(
            f"no C++ compiler found, and {binding.distribution} is published as source only.\n"
            "       Install one (Debian/Ubuntu: apt-get install g++; Fedora: dnf install gcc-c++;\n"
            "       macOS: xcode-select --install) and run the same command again."
        )


def build_tools() -> bool:
    """Whether cmake and ninja are ready, after fetching what is missing from the package index."""
    missing = [] if cmake_version() >= OLDEST_CMAKE else ["cmake"]
    if shutil.which("ninja", path=tool_path()) is None:
        missing.append("ninja")
    if missing:
        command = pip("install", "--quiet", "--constraint", str(CONSTRAINTS), *missing)
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    return True


def tool_path() -> str:
    """PATH with this interpreter's own scripts first: pip puts cmake and ninja there."""
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))


def cmake_version() -> tuple[int, ...]:
    """The version of the cmake on the path, or () when there is none."""
    cmake = shutil.which("cmake", path=tool_path())
    if cmake is None:
        return ()
    output = subprocess.run(
        [cmake, "--version"], capture_output=True, text=True, check=False
    ).stdout
    match = re.search(r"(\d+)\.(\d+)", output)
    return tuple(map(int, match.groups())) if match else ()


def build_llama(binding: Binding, folder: Path) -> Path:
    """Build libllama alone, then the Python part, and join them in one self-contained wheel."""
    source = download_source(binding, folder)
    libraries = build_libllama(source / "vendor" / "llama.cpp", folder / "build")
    python_only = pip_wheel(source, folder / "python", ("-DLLAMA_BUILD=OFF", "-DLLAVA_BUILD=OFF"))
    added = {f"llama_cpp/lib/{path.name}": path for path in libraries}
    return rewrite_wheel(python_only, folder, keep=lambda name: True, add=added)


def download_source(binding: Binding, folder: Path) -> Path:
    """Fetch and unpack the source distribution; return its top folder."""
    distribution = binding.distribution
    pinned = f"{distribution}=={pinned_version(distribution)}"
    options = ("--quiet", "--no-deps", "--no-binary", distribution, "--dest", str(folder))
    run(pip("download", *options, pinned))
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as contents:
        contents.extractall(folder / "source", filter="data")
    (top,) = (folder / "source").iterdir()
    return top


def build_libllama(source: Path, target: Path) -> list[Path]:
    """Run cmake and ninja; return the shared libraries."""
    origin = "@loader_path" if sys.platform == "darwin" else "$ORIGIN"
    native = f"-DGGML_NATIVE={'ON' if native_cpu() else 'OFF'}"
    rpath = f"-DCMAKE_INSTALL_RPATH={origin}"
    places = ("-S", str(source), "-B", str(target), "-G", "Ninja")
    run(["cmake", *places, *LLAMA_CMAKE, native, rpath])
    build = ["cmake", "--build", str(target), "--target", "llama", "-j", str(os.cpu_count() or 1)]
    run(build, show_progress=True)
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    libraries = [path for path in (target / "bin").glob(f"*{suffix}") if not path.is_symlink()]
    if not any(path.name == f"libllama{suffix}" for path in libraries):
        raise BuildError(f"the build of llama.cpp left no libllama{suffix}")
    return sorted(libraries)


def build_with_pip(binding: Binding, folder: Path) -> Path:
    """Let the binding's own build make everything; drop what it installs outside its package."""
    native = f"-DGGML_NATIVE={'ON' if native_cpu() else 'OFF'}"
    pinned = f"{binding.distribution}=={pinned_version(binding.distribution)}"
    whole = pip_wheel(pinned, folder / "whole", (native,))
    inside = (f"{binding.package}/", f"{binding.package}_python-")
    return rewrite_wheel(whole, folder, keep=lambda name: name.startswith(inside), add={})


def pip_wheel(requirement: str | Path, target: Path, cmake_args: Sequence[str]) -> Path:
    """Run `pip wheel` with the given cmake arguments; return the wheel.

    Without pip's cache: it must neither give a wheel made with other arguments nor keep this one.
    """
    target.mkdir()
    fixed = ("--verbose", "--no-deps", "--no-cache-dir", "--wheel-dir", str(target))
    command = pip("wheel", *fixed, str(requirement))
    run(command, show_progress=True, environment={"CMAKE_ARGS": " ".join(cmake_args)})
    (wheel,) = target.glob("*.whl")
    return wheel


# -- running commands -----------------------------------------------------------------------------


def pip(*arguments: str) -> list[str]:
    """A pip command line for the environment of this interpreter."""
    return [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]


def run(
    command: Sequence[str],
    *,
    show_progress: bool = False,
    environment: dict[str, str] | None = None,
) -> None:
    """Run `command` and raise BuildError with the end of its output when it fails."""
    variables = {**os.environ, **(environment or {}), "PATH": tool_path()}
    with subprocess.Popen(
        command,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        lines = list(progress(process.stdout) if show_progress else process.stdout)
    if process.returncode != 0:
        tail = "".join(lines[-40:])
        raise BuildError(f"`{' '.join(command[:4])} …` failed:\n{tail}")


def progress(lines: Iterator[str]) -> Iterator[str]:
    """Pass lines on and show ninja's `[12/78]` counter: in place on a terminal, else by tenths."""
    shown = 0
    in_place = sys.stdout.isatty()
    for line in lines:
        if match := re.match(r"\s*\[(\d+)/(\d+)\]", line):
            done, total = map(int, match.groups())
            if in_place:
                print(f"\r    compiling {done}/{total} ", end="", flush=True)
            elif total >= 10 and done * 10 // total > shown:
                print(f"    compiling {done}/{total}", flush=True)
            shown = done * 10 // total
        yield line
    if in_place and shown:
        print("\r", end="", flush=True)


if __name__ == "__main__":
    sys.exit(main())
