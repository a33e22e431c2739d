#!/usr/bin/env python3
"""Checks that every #include of src keeps to the order of the folders.

Usage: include_order.py [ROOT]

The order is the table of cadre_folder(<name> DEPENDS <folder>...) lines in CMakeLists.txt, so what may be included is
what is linked. A folder may include itself, what it depends on, and what those depend on. On top of that, some
libraries are for one folder only, and gtest and the headers that use it are for tests only. Prints file:line and the broken rule; exit code 1
when there is any.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
FOLDER = re.compile(r"^\s*cadre_folder\((\w+)(?:\s+DEPENDS\s+([\w\s]+))?\)", re.MULTILINE)

# Headers that are slow to compile or tie the code to a library: the one folder that may include them.
ONE_FOLDER_ONLY = {
    "boost/asio": "net",
    "boost/beast": "net",
    "nghttp2/": "net",
    "openssl/": "net",
    "spdlog/": "base",
    "yaml-cpp/": "kube",
    "zlib.h": "kube",
    "protozero/": "kube",
    "re2/": "jobset",
    "CLI/": "app",
}

TEST_ONLY = ("gtest/", "gmock/", "rapidcheck")


def read_table(cmake_text):
    """{folder: set of all folders that it may include, itself among them}."""
    direct = {name: (depends or "").split() for name, depends in FOLDER.findall(cmake_text)}
    allowed = {}
    for name, depends in direct.items():  # a folder can only depend on lines above it, so one pass is enough
        allowed[name] = {name}
        for other in depends:
            if other not in allowed:
                raise ValueError(f"CMakeLists.txt: {name} depends on {other}, which is not declared above it")
            allowed[name] |= allowed[other]
    if not allowed:
        raise ValueError("CMakeLists.txt: no cadre_folder(...) lines found")
    return allowed


def check_quoted(folder, path, allowed):
    target, slash, _ = path.partition("/")
    if not slash or target.startswith("."):
        return f'"{path}" must be written by its path from src, e.g. "{folder}/{path.split("/")[-1]}"'
    if target not in allowed:
        return f'"{path}" is in no folder of the table in CMakeLists.txt (system headers go in <>)'
    if target not in allowed[folder]:
        may = ", ".join(sorted(allowed[folder] - {folder})) or "nothing"
        return f'src/{folder} must not include "{path}": it may include {may}'
    return None


def check_angled(folder, path):
    for prefix, owner in ONE_FOLDER_ONLY.items():
        if path.startswith(prefix) and folder != owner:
            return f"<{path}> is for src/{owner} only"
    return None


def includes(text):
    """Yields (line number, quote, path) for every include of the file."""
    for number, line in enumerate(text.splitlines(), start=1):
        found = INCLUDE.match(line)
        if found:
            yield number, *found.groups()


def check_file(folder, text, allowed):
    """Yields (line number, message) for every include of the file that breaks the order."""
    for number, quote, path in includes(text):
        message = check_quoted(folder, path, allowed) if quote == '"' else check_angled(folder, path)
        if message:
            yield number, message


def check_test_only(texts):
    """Yields (name, line number, message) where the program, not a test, comes to include gtest or its like.

    A header that includes gtest, also through another header, is one for tests. `texts` is {path from src: text}.
    """
    for_tests = set()
    size = -1
    while size != len(for_tests):  # until no further header includes one of them
        size = len(for_tests)
        for name, text in texts.items():
            used = (path for _, _, path in includes(text))
            if name.endswith(".h") and any(path.startswith(TEST_ONLY) or path in for_tests for path in used):
                for_tests.add(name)
    for name, text in texts.items():
        if name.endswith(".h") or name.endswith("_test.cc"):
            continue
        for number, _, path in includes(text):
            if path.startswith(TEST_ONLY) or path in for_tests:
                yield name, number, f"{path} is for tests only (*_test.cc)"


def check_tree(root):
    allowed = read_table((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    src = root / "src"
    files = [file for file in sorted(src.rglob("*")) if file.suffix in (".h", ".cc") and file.is_file()]
    texts = {str(file.relative_to(src)): file.read_text(encoding="utf-8") for file in files}
    for name, text in texts.items():
        folder, slash, _ = name.partition("/")
        if not slash or folder not in allowed:
            yield f"src/{name}:1: not in a folder of the table in CMakeLists.txt"
            continue
        for number, message in check_file(folder, text, allowed):
            yield f"src/{name}:{number}: {message}"
    for name, number, message in check_test_only(texts):
        yield f"src/{name}:{number}: {message}"


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[2]
    problems = list(check_tree(root))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
