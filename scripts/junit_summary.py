#!/usr/bin/env python3
"""Sums up a JUnit report of ctest.

Usage: junit_summary.py REPORT

Prints the output of every test that failed, why tests were skipped, and on the last line three numbers:
passed, failed, skipped. Exit code 2 when the report is missing or holds no test.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

# gtest prints "file:line: Skipped", then the reason, then a line that starts with "[  SKIPPED ]".
SKIP_REASON = re.compile(r": Skipped\n(.*?)\n\n?\[", re.DOTALL)

# How ctest marks a test that ran and called GTEST_SKIP().
SKIPPED_BY_ITSELF = "SKIP_REGULAR_EXPRESSION_MATCHED"


def skip_reason(output):
    found = SKIP_REASON.search(output)
    return found.group(1).strip() if found else "no reason given"


def summarise(root):
    """Returns the text to print and the numbers (passed, failed, skipped)."""
    failures = []
    reasons = {}
    passed = 0
    for case in root.iter("testcase"):
        name = case.get("name", "?")
        output = case.findtext("system-out", default="")
        skipped = case.find("skipped")
        # ctest also calls "skipped" what it could not run at all, as a binary that was not built: that is a failure.
        if skipped is not None and skipped.get("message") == SKIPPED_BY_ITSELF:
            reasons.setdefault(skip_reason(output), []).append(name)
        elif case.get("status") == "run" and case.find("failure") is None:
            passed += 1
        else:
            failures.append((name, output))
    text = "".join(f"---- failed: {name}\n{output.rstrip()}\n" for name, output in failures)
    for reason, names in sorted(reasons.items()):
        text += f"---- skipped {len(names)} (first: {names[0]}): {reason}\n"
    count = sum(len(names) for names in reasons.values())
    text += f"{passed} passed, {len(failures)} failed, {count} skipped\n"
    return text, (passed, len(failures), count)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        root = ElementTree.parse(arguments[0]).getroot()
    except (OSError, ElementTree.ParseError) as error:
        print(f"junit_summary.py: {arguments[0]}: {error}", file=sys.stderr)
        return 2
    text, counts = summarise(root)
    if sum(counts) == 0:
        print(f"junit_summary.py: {arguments[0]}: no tests in it", file=sys.stderr)
        return 2
    sys.stdout.write(text)
    print(*counts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
