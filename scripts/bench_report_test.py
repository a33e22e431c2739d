import json
import unittest

import bench_report


def row(case="50 gangs", system="cadre", metric="makespan", value=1.5, unit="s"):
    return {"case": case, "system": system, "metric": metric, "value": value, "unit": unit}


class Rows(unittest.TestCase):
    def test_reads_one_object_per_line_and_skips_empty_lines(self):
        text = json.dumps(row()) + "\n\n" + json.dumps(row(value=2)) + "\n"
        self.assertEqual(bench_report.rows_from_lines(text), [row(), row(value=2)])

    def test_a_missing_key_is_refused_with_its_line(self):
        with self.assertRaisesRegex(bench_report.BadRow, "line 2: expected an object with case, system"):
            bench_report.rows_from_lines(json.dumps(row()) + '\n{"case": "x"}')

    def test_a_value_that_is_no_number_is_refused(self):
        with self.assertRaisesRegex(bench_report.BadRow, "value must be a number"):
            bench_report.rows_from_lines(json.dumps(row(value="fast")))

    def test_true_is_no_number(self):
        with self.assertRaisesRegex(bench_report.BadRow, "value must be a number"):
            bench_report.rows_from_lines(json.dumps(row(value=True)))

    def test_what_is_not_json_is_refused_with_its_line(self):
        with self.assertRaisesRegex(bench_report.BadRow, "line 1: not JSON"):
            bench_report.rows_from_lines("starting...")


class GoogleBenchmark(unittest.TestCase):
    RUN = {"name": "Match/64", "run_name": "Match/64", "iterations": 9, "real_time": 3.0, "cpu_time": 2.5,
           "time_unit": "us", "nodes": 100.0}  # fmt: skip

    def test_gives_the_time_and_the_counters(self):
        rows = bench_report.rows_from_google_benchmark(json.dumps({"benchmarks": [self.RUN]}))
        self.assertEqual(
            rows, [row("Match/64", "cadre", "cpu_time", 2.5, "us"), row("Match/64", "cadre", "nodes", 100.0, "")]
        )

    def test_a_run_that_failed_is_an_error(self):
        run = {**self.RUN, "error_occurred": True, "error_message": "no nodes"}
        with self.assertRaisesRegex(bench_report.BadRow, "Match/64: no nodes"):
            bench_report.rows_from_google_benchmark(json.dumps({"benchmarks": [run]}))


class Table(unittest.TestCase):
    def test_systems_are_columns_and_gaps_are_dashes(self):
        rows = [row(value=486), row(system="fifo", value=2500.25), row(case="2 gangs", value=0.5)]
        self.assertEqual(
            bench_report.table(rows),
            "case      metric    unit  cadre   fifo\n"
            "50 gangs  makespan  s       486  2,500\n"
            "2 gangs   makespan  s       0.5      -\n",
        )

    def test_small_values_are_not_shown_as_zero(self):
        self.assertEqual(bench_report.shown(0.0000123), "1.23e-05")

    def test_zero_is_zero(self):
        self.assertEqual(bench_report.shown(0), "0")

    def test_a_fraction_keeps_four_digits(self):
        self.assertEqual(bench_report.shown(12.34567), "12.35")


if __name__ == "__main__":
    unittest.main()
