import pathlib
import tempfile
import unittest

import source_tree

HEADER = "// What it is for.\n#pragma once\n"


def messages(name, text):
    return [message for _, message in source_tree.check_cxx(name, text)]


class Sources(unittest.TestCase):
    def test_six_hundred_lines_are_allowed(self):
        self.assertEqual(messages("a.cc", "int x;\n" * 600), [])

    def test_one_line_more_is_too_long(self):
        self.assertEqual(messages("a.cc", "int x;\n" * 601), ["601 lines, at most 600: split it by what it does"])

    def test_unfinished_work_is_named_with_its_line(self):
        found = list(source_tree.check_cxx("a.cc", "int x;\n// " + "TO" + "DO later\n"))
        self.assertEqual([number for number, _ in found], [2])

    def test_a_header_with_its_comment_is_fine(self):
        self.assertEqual(messages("a.h", HEADER), [])

    def test_a_header_without_a_comment_is_refused(self):
        self.assertEqual(len(messages("a.h", "#pragma once\n")), 1)

    def test_a_header_without_pragma_once_is_refused(self):
        self.assertEqual(messages("a.h", "// What it is for.\n"), ["a header needs #pragma once"])


class Readmes(unittest.TestCase):
    def problems(self, readme):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            folder = root / "src" / "base"
            folder.mkdir(parents=True)
            (folder / "a.h").write_text(HEADER, encoding="utf-8")
            if readme is not None:
                (folder / "README.md").write_text(readme, encoding="utf-8")
            return list(source_tree.check_tree(root))

    def test_a_missing_readme_is_a_problem(self):
        self.assertTrue(self.problems(None)[0].startswith("src/base/README.md:1: is missing"))

    def test_sixty_lines_are_one_screen(self):
        self.assertEqual(self.problems("x\n" * 60), [])

    def test_sixty_one_lines_are_too_long(self):
        self.assertEqual(self.problems("x\n" * 61), ["src/base/README.md:61: 61 lines, at most 60: one screen"])


class Scenarios(unittest.TestCase):
    def problems(self, table):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for folder in ("docs", "testdata/scenarios"):
                (root / folder).mkdir(parents=True)
            (root / "testdata/README.md").write_text("x\n", encoding="utf-8")
            for file in ("jobset-1-replayed.yaml", "own-made-up.yaml"):
                (root / "testdata/scenarios" / file).write_text("scenario: x\n", encoding="utf-8")
            (root / "docs/scenarios.md").write_text(table, encoding="utf-8")
            return list(source_tree.check_tree(root))

    def test_one_that_replays_a_report_must_be_in_the_table(self):
        self.assertEqual(self.problems(""), [
            "docs/scenarios.md:1: does not list jobset-1-replayed.yaml, which replays a public report"])

    def test_one_of_our_own_need_not_be(self):
        self.assertEqual(self.problems("[x](../testdata/scenarios/jobset-1-replayed.yaml)"), [])


if __name__ == "__main__":
    unittest.main()
