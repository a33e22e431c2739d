import unittest
import xml.dom.minidom

import report


def rows(*values):
    return report.Rows([{"case": c, "metric": m, "value": v} for c, m, v in values])


class Shown(unittest.TestCase):
    def test_has_three_digits(self):
        self.assertEqual(report.shown(0.012345), "0.0123")
        self.assertEqual(report.shown(1234.5), "1,234")
        self.assertEqual(report.shown(2.0), "2")

    def test_what_was_not_measured_is_a_dash(self):
        self.assertEqual(report.shown(None), report.NOTHING)


class Bars(unittest.TestCase):
    def test_a_time_at_its_bar_meets_it(self):
        self.assertIn("| 0.2 ms | ≤ 0.2 ms | met |", report.bars(rows(("100k/gang64", "warm_ms", 0.2))))

    def test_a_time_above_its_bar_says_by_how_much(self):
        self.assertIn("| 0.6 ms | ≤ 0.2 ms | missed, × 3 |", report.bars(rows(("100k/gang64", "warm_ms", 0.6))))


    def test_metrics_are_added_up_and_one_that_is_missing_makes_no_sum(self):
        both = report.bars(rows(("100k", "rss_mib", 60), ("100k", "objects_mib", 340)))
        self.assertIn("| 400 MiB | ≤ 200 MiB | missed, × 2 |", both)
        self.assertIn(f"with it | {report.NOTHING} MiB |", report.bars(rows(("100k", "rss_mib", 60))))


class Quality(unittest.TestCase):
    def test_the_bound_is_what_was_used_less_what_is_over_it(self):
        text = report.quality(rows(("100k/gang64", "nodes", 33), ("100k/gang64", "nodes_over_optimum", 1)))
        self.assertIn("| `gang64` | 33 (fewest possible: 32) |", text)


class Growth(unittest.TestCase):
    def test_compares_the_last_with_the_first_in_milliseconds(self):
        text = report.growth(
            rows(("1k", "load_cpu_s", 0.01), ("10k", "load_cpu_s", 0.1), ("100k", "load_cpu_s", 0.9))
        )
        self.assertIn("| building the state | 10 | 100 | 900 | 90 |", text)


class Page(unittest.TestCase):
    def test_only_what_is_between_the_markers_changes(self):
        page = f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n"
        self.assertEqual(report.replaced(page, "new"), f"before\n{report.BEGIN}\n\nnew\n{report.END}\nafter\n")

    def test_a_page_without_markers_is_refused(self):
        with self.assertRaisesRegex(ValueError, "must have one line"):
            report.replaced("before\n", "new")


class Plot(unittest.TestCase):
    def test_higher_values_are_further_up(self):
        text = report.plot(rows(("growth/shapes=2", "churn_p50_ms", 1), ("growth/shapes=20", "churn_p50_ms", 10)))
        circles = xml.dom.minidom.parseString(text).getElementsByTagName("circle")
        heights = [float(circle.getAttribute("cy")) for circle in circles]
        self.assertEqual(len(heights), 2)
        self.assertGreater(heights[0], heights[1])

    def test_panels_without_values_say_so(self):
        self.assertEqual(report.plot(rows()).count("not measured"), len(report.PANELS))


if __name__ == "__main__":
    unittest.main()
