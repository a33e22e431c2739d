#!/usr/bin/env python3
"""Runs clang-tidy over the sources of src that are not tests, in parallel, and only where something changed.

Usage: tidy.py ROOT BUILD JOBS [FILE...]

BUILD holds clang's compile_commands.json. A file that was clean is not checked again until it, a header of ours that
it includes, its compile command, .clang-tidy or clang-tidy itself changes: BUILD/clean remembers a hash of all of
them. Exit code 1 when there are findings.
"""
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys

import include_order

CLANG_TIDY = "clang-tidy-19"
# What clang-tidy says about suppressed warnings in system headers.
NOISE = re.compile(r"^(\d+ warnings? .*(generated|treated as errors?)\.?|Suppressed .*|Use -header-filter=.*)$")


def with_headers(root, name):
    """The file and all headers of ours that it includes, by their paths from src, sorted."""
    seen = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current in seen or not (root / "src" / current).is_file():
            continue
        seen.add(current)
        text = (root / "src" / current).read_text(encoding="utf-8")
        waiting += [path for _, quote, path in include_order.includes(text) if quote == '"']
    return sorted(seen)


def fingerprint(root, name, command, settings):
    digest = hashlib.sha256()
    for part in (settings, command):
        digest.update(part.encode() + b"\0")
    for path in with_headers(root, name):
        digest.update(path.encode() + b"\0" + (root / "src" / path).read_bytes() + b"\0")
    return digest.hexdigest()


def sources(root):
    for file in sorted((root / "src").rglob("*.cc")):
        if not file.name.endswith(("_test.cc", "_testing.cc", "_bench.cc")):
            yield str(file.relative_to(root / "src"))


def run_one(root, build, name):
    """Returns clang-tidy's findings, or None for a clean file."""
    command = [CLANG_TIDY, "-p", str(build), "--quiet",
               # libstdc++ 12 calls its own deprecated get_temporary_buffer in the stable algorithms.
               "--extra-arg=-Wno-deprecated-declarations", str(root / "src" / name)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode == 0:
        return None
    lines = [line for line in run.stdout.splitlines() if not NOISE.match(line)]
    return "\n".join(lines) or f"{name}: {CLANG_TIDY} ended with {run.returncode} and no message"


def changed_files(root, build, names):
    """{name: where to remember that it is clean} for the files that are not known to be clean."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    commands = {entry["file"]: entry["command"] for entry in entries}
    version = subprocess.run([CLANG_TIDY, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    settings = version + (root / ".clang-tidy").read_text(encoding="utf-8")
    (build / "clean").mkdir(exist_ok=True)
    changed = {}
    for name in names:
        command = commands.get(str(root / "src" / name))
        if command is None:
            raise SystemExit(f"tidy.py: src/{name} is in no target: it has no compile command")
        stamp = build / "clean" / fingerprint(root, name, command, settings)
        if not stamp.exists():
            changed[name] = stamp
    return changed


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    root, build, jobs = pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1]), int(arguments[2])
    names = [str(pathlib.Path(file).resolve().relative_to(root / "src")) for file in arguments[3:]]
    names = names or list(sources(root))
    changed = changed_files(root, build, names)
    print(f"tidy: {len(names)} files, {len(changed)} changed since they were clean", flush=True)
    with_findings = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(run_one, root, build, name): name for name in changed}
        for run in concurrent.futures.as_completed(runs):
            findings = run.result()
            if findings is None:
                changed[runs[run]].touch()
            else:
                with_findings += 1
                print(findings, flush=True)
    print(f"tidy: {with_findings} of {len(names)} files have findings")
    return 1 if with_findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
