import pathlib
import tempfile
import unittest

import include_order

CMAKE = """
cadre_folder(base)
cadre_folder(kube DEPENDS base)
cadre_folder(drive DEPENDS kube)
cadre_folder(model DEPENDS kube)
cadre_folder(core DEPENDS drive model)
"""
ALLOWED = include_order.read_table(CMAKE)


def messages(folder, text):
    return [message for _, message in include_order.check_file(folder, text, ALLOWED)]


class Table(unittest.TestCase):
    def test_what_dependencies_depend_on_is_allowed_too(self):
        self.assertEqual(ALLOWED["core"], {"core", "drive", "model", "kube", "base"})

    def test_a_folder_without_dependencies_may_include_itself_only(self):
        self.assertEqual(ALLOWED["base"], {"base"})

    def test_a_dependency_on_a_later_folder_is_refused(self):
        with self.assertRaisesRegex(ValueError, "kube depends on drive"):
            include_order.read_table("cadre_folder(kube DEPENDS drive)\ncadre_folder(drive)")

    def test_a_file_without_the_table_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no cadre_folder"):
            include_order.read_table("project(cadre)")

    def test_the_project_has_the_order_of_its_design(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        allowed = include_order.read_table((root / "CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertEqual(allowed["match"], {"match", "topology", "model", "kube", "base"})
        self.assertEqual(allowed["sim"], {"sim", "drive", "kube", "base"})
        self.assertNotIn("drive", allowed["model"])
        self.assertEqual(allowed["app"], set(allowed))


class Includes(unittest.TestCase):
    def test_a_lower_folder_is_fine(self):
        self.assertEqual(messages("core", '#include "kube/pod.h"\n'), [])

    def test_a_higher_folder_is_named_with_what_is_allowed(self):
        self.assertEqual(
            messages("kube", '#include "drive/api.h"\n'),
            ['src/kube must not include "drive/api.h": it may include base'],
        )

    def test_a_sibling_folder_is_refused(self):
        self.assertEqual(len(messages("model", '#include "drive/api.h"\n')), 1)

    def test_a_name_without_a_folder_is_refused(self):
        self.assertEqual(
            messages("kube", '#include "pod.h"\n'),
            ['"pod.h" must be written by its path from src, e.g. "kube/pod.h"'],
        )

    def test_a_relative_path_is_refused(self):
        self.assertIn("by its path from src", messages("kube", '#include "../base/time.h"\n')[0])

    def test_spaces_in_the_directive_do_not_hide_it(self):
        self.assertEqual(len(messages("base", '  #  include "kube/pod.h"\n')), 1)

    def test_a_comment_is_no_include(self):
        self.assertEqual(messages("base", '// #include "kube/pod.h"\n'), [])

    def test_the_line_is_counted_from_one(self):
        found = list(include_order.check_file("base", '\n\n#include "kube/pod.h"\n', ALLOWED))
        self.assertEqual(found[0][0], 3)


class Libraries(unittest.TestCase):
    def test_a_library_of_one_folder_is_refused_elsewhere(self):
        self.assertEqual(messages("core", "#include <spdlog/spdlog.h>\n"), ["<spdlog/spdlog.h> is for src/base only"])

    def test_a_library_of_one_folder_is_fine_there(self):
        self.assertEqual(messages("base", "#include <spdlog/spdlog.h>\n"), [])


class TestsOnly(unittest.TestCase):
    def problems(self, **texts):
        names = {name.replace("__", "/", 1).replace("_cc", ".cc").replace("_h", ".h"): t for name, t in texts.items()}
        return [(name, number) for name, number, _ in include_order.check_test_only(names)]

    def test_gtest_in_the_program_is_refused(self):
        self.assertEqual(self.problems(base__time_cc="\n#include <gtest/gtest.h>\n"), [("base/time.cc", 2)])

    def test_gtest_in_a_test_is_fine(self):
        self.assertEqual(self.problems(base__time_test_cc="#include <gtest/gtest.h>\n"), [])

    def test_a_header_for_tests_is_fine_in_a_test(self):
        found = self.problems(
            drive__fakes_h="#include <gtest/gtest.h>\n", drive__driver_test_cc='#include "drive/fakes.h"\n'
        )
        self.assertEqual(found, [])

    def test_the_program_must_not_reach_gtest_through_two_headers(self):
        found = self.problems(
            drive__all_h='#include "drive/fakes.h"\n',
            drive__fakes_h="#include <gmock/gmock.h>\n",
            drive__driver_cc='#include "drive/all.h"\n',
        )
        self.assertEqual(found, [("drive/driver.cc", 1)])


class Tree(unittest.TestCase):
    def test_names_file_and_line(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src" / "base").mkdir(parents=True)
            (root / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
            (root / "src" / "base" / "a.h").write_text('#pragma once\n#include "kube/pod.h"\n', encoding="utf-8")
            problems = list(include_order.check_tree(root))
        self.assertEqual(len(problems), 1)
        self.assertTrue(problems[0].startswith("src/base/a.h:2: src/base must not include"))

    def test_a_folder_that_is_not_in_the_table_is_a_problem(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src" / "extra").mkdir(parents=True)
            (root / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
            (root / "src" / "extra" / "a.h").write_text("", encoding="utf-8")
            problems = list(include_order.check_tree(root))
        self.assertEqual(problems, ["src/extra/a.h:1: not in a folder of the table in CMakeLists.txt"])


if __name__ == "__main__":
    unittest.main()
