#!/usr/bin/env python3
"""Checks what a compiler does not: sizes of files, a README per folder, nothing left to do.

Usage: source_tree.py [ROOT]

- Every folder of src that holds sources, and every folder beside it, has a README.md of at most 60 lines: one
  screen. (cmake is read by its comments, docs and build speak for themselves.)
- No C++ file is longer than 600 lines.
- Every header starts with a comment that says what it is for, and has `#pragma once`.
- No marker of unfinished work is left in a file.
- Every scenario that replays a public report is listed in docs/scenarios.md.
"""
import pathlib
import re
import sys

MAX_SOURCE_LINES = 600
MAX_README_LINES = 60
README_FOLDERS = ("bench", "deploy", "examples", "fuzz", "scripts", "testdata", "tests", "tools")
CXX_FOLDERS = ("src", "tests", "fuzz", "bench")
UNFINISHED = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b")  # not to find this line


def cxx_files(root):
    for folder in CXX_FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".h", ".cc") and file.is_file():
                yield file


def check_cxx(name, text):
    """Yields (line number, message) for one C++ file."""
    lines = text.splitlines()
    if len(lines) > MAX_SOURCE_LINES:
        yield MAX_SOURCE_LINES + 1, f"{len(lines)} lines, at most {MAX_SOURCE_LINES}: split it by what it does"
    for number, line in enumerate(lines, start=1):
        found = UNFINISHED.search(line)
        if found:
            yield number, f"{found.group(1)}: finish it or open an issue"
    if name.endswith(".h"):
        if not lines or not lines[0].startswith("//"):
            yield 1, "a header starts with a comment that says what it is for"
        if "#pragma once" not in lines:
            yield 1, "a header needs #pragma once"


def check_readmes(root):
    """Yields (path, line number, message) for the folders of src and those beside it."""
    sources = sorted(path for path in (root / "src").glob("*") if path.is_dir())
    folders = [path for path in sources if any(path.glob("*.cc")) or any(path.glob("*.h"))]
    for folder in folders + [root / name for name in README_FOLDERS if (root / name).is_dir()]:
        readme = folder / "README.md"
        if not readme.is_file():
            yield readme, 1, "is missing: say what the folder is for, how data comes and goes, what it must never do"
            continue
        count = len(readme.read_text(encoding="utf-8").splitlines())
        if count > MAX_README_LINES:
            yield readme, MAX_README_LINES + 1, f"{count} lines, at most {MAX_README_LINES}: one screen"


def check_scenarios(root):
    """Yields (path, line number, message) for scenarios that their table leaves out."""
    table = root / "docs" / "scenarios.md"
    text = table.read_text(encoding="utf-8") if table.is_file() else ""
    for file in sorted((root / "testdata" / "scenarios").glob("*.yaml")):
        if not file.name.startswith("own-") and f"(../testdata/scenarios/{file.name})" not in text:
            yield table, 1, f"does not list {file.name}, which replays a public report"


def check_tree(root):
    for file in cxx_files(root):
        for number, message in check_cxx(file.name, file.read_text(encoding="utf-8")):
            yield f"{file.relative_to(root)}:{number}: {message}"
    for file, number, message in [*check_readmes(root), *check_scenarios(root)]:
        yield f"{file.relative_to(root)}:{number}: {message}"


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[2]
    problems = list(check_tree(root))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
