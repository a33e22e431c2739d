#!/usr/bin/env python3
"""Runs every `cadre` command that README.md and docs/*.md show, from the repository's root, as a reader would.

Usage: docs_commands_test.py CADRE [unittest arguments]      CADRE: the program

A command is a line of a code block that starts with "cadre " or "$ cadre ". It must not end in bad input (exit code 2),
unless the lines below it show an error of cadre; where output is shown (after "$ "), each of its lines must be printed.
Lines that need a live cluster (kubectl) are left out.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = re.compile(r"^(\$ )?(cadre (?:simulate|topology|scenario) .*)$")


def blocks(text):
    """The lines of each code block without a language, with the number of its first."""
    lines, inside, shown = text.splitlines(), False, []
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            if inside and shown:
                yield shown
            inside, shown = not inside and line == "```", []
        elif inside:
            shown.append((number, line))


def commands():
    """(where, command, lines of output shown below it)"""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for block in blocks(path.read_text(encoding="utf-8")):
            at = 0
            while at < len(block):
                number, line = block[at]
                at += 1
                found = COMMAND.match(line)
                if not found:
                    continue
                output = []
                while found[1] and at < len(block) and not block[at][1].startswith("$ "):
                    output.append(block[at][1])
                    at += 1
                yield f"{path.relative_to(ROOT)}:{number}", found[2], output


def squeezed(text):
    return " ".join(text.split())


class DocsCommands(unittest.TestCase):
    def setUp(self):
        # A copy of what the commands read, so that what they write does not stay.
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for shown in ("examples", "testdata"):
            shutil.copytree(ROOT / shown, pathlib.Path(self.folder.name) / shown)

    def test_there_are_commands_in_every_manual(self):
        files = {where.split(":")[0] for where, _, _ in commands()}
        self.assertLessEqual({"README.md", "docs/simulate.md", "docs/topology.md", "docs/traces.md"}, files)

    def test_commands_run_from_the_root_and_print_what_is_shown(self):
        environment = dict(os.environ, PATH=f"{CADRE.parent}:{os.environ['PATH']}", NO_COLOR="1")
        for where, command, shown in commands():
            with self.subTest(where, command=command):
                run = subprocess.run(command, shell=True, cwd=self.folder.name, env=environment, check=False,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=300)
                refused = any(line.startswith("cadre ") for line in shown)
                self.assertIn(run.returncode, (2,) if refused else (0, 1), run.stdout)
                # Long messages are shown on several lines.
                printed = squeezed(run.stdout)
                for line in shown:
                    if line != "…":
                        self.assertIn(squeezed(line), printed)


if __name__ == "__main__":
    CADRE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
