import pathlib
import tempfile
import unittest

import tidy


class Fingerprint(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("base/a.h", '#include "base/b.h"\n#include <vector>\n')
        self.write("base/b.h", '#include "base/a.h"\nint b;\n')
        self.write("base/c.h", "int c;\n")
        self.write("base/a.cc", '#include "base/a.h"\n')
        self.write("base/a_test.cc", "")

    def write(self, name, text):
        path = self.root / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def fingerprint(self, command="g++", settings="checks"):
        return tidy.fingerprint(self.root, "base/a.cc", command, settings)

    def test_headers_that_include_each_other_are_followed_once(self):
        self.assertEqual(tidy.with_headers(self.root, "base/a.cc"), ["base/a.cc", "base/a.h", "base/b.h"])

    def test_is_the_same_when_nothing_changed(self):
        self.assertEqual(self.fingerprint(), self.fingerprint())

    def test_depends_on_a_header_of_a_header(self):
        before = self.fingerprint()
        self.write("base/b.h", "int changed;\n")
        self.assertNotEqual(self.fingerprint(), before)

    def test_does_not_depend_on_other_headers(self):
        before = self.fingerprint()
        self.write("base/c.h", "int changed;\n")
        self.assertEqual(self.fingerprint(), before)

    def test_depends_on_the_compile_command(self):
        self.assertNotEqual(self.fingerprint(command="g++ -O2"), self.fingerprint())

    def test_depends_on_the_checks(self):
        self.assertNotEqual(self.fingerprint(settings="other"), self.fingerprint())

    def test_tests_are_not_checked(self):
        self.assertEqual(list(tidy.sources(self.root)), ["base/a.cc"])


if __name__ == "__main__":
    unittest.main()
