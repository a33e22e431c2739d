import unittest
import xml.etree.ElementTree as ElementTree

import junit_summary


def summarise(*cases):
    return junit_summary.summarise(ElementTree.fromstring("<testsuite>" + "".join(cases) + "</testsuite>"))


PASSED = '<testcase name="a" status="run"><system-out>fine</system-out></testcase>'
FAILED = '<testcase name="b" status="fail"><failure message=""/><system-out>expected 3</system-out></testcase>'
SKIPPED = (
    '<testcase name="c" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
    "<system-out>x_test.cc:5: Skipped\nno data in ../shared/data\n\n[  SKIPPED ] c (0 ms)</system-out></testcase>"
)
NOT_BUILT = '<testcase name="d" status="notrun"><skipped message="Unable to find executable: d"/></testcase>'
DISABLED = '<testcase name="e" status="disabled"></testcase>'


class JunitSummary(unittest.TestCase):
    def test_counts_each_kind(self):
        self.assertEqual(summarise(PASSED, FAILED, SKIPPED, PASSED)[1], (2, 1, 1))

    def test_shows_what_a_failed_test_printed(self):
        self.assertIn("---- failed: b\nexpected 3\n", summarise(FAILED)[0])

    def test_shows_why_a_test_was_skipped(self):
        self.assertIn("no data in ../shared/data", summarise(SKIPPED)[0])

    def test_a_binary_that_was_not_built_is_a_failure(self):
        self.assertEqual(summarise(NOT_BUILT)[1], (0, 1, 0))

    def test_a_test_that_was_not_run_never_counts_as_passed(self):
        self.assertEqual(summarise(DISABLED)[1], (0, 1, 0))


if __name__ == "__main__":
    unittest.main()
