#!/usr/bin/env python3
"""Prints the results of a benchmark as a table and writes them as JSON.

Usage: bench_report.py [--google-benchmark] INPUT OUTPUT

INPUT holds one JSON object per line, or with --google-benchmark what that library prints as JSON. OUTPUT becomes a
list of {case, system, metric, value, unit}. In the table there is one line per case and metric and one column per
system, in the order in which they came.
"""
import json
import sys

KEYS = ("case", "system", "metric", "value", "unit")
SYSTEM = "cadre"  # whose code our own Google Benchmark programs measure
# What Google Benchmark reports about a run beside the user's counters.
GOOGLE_KEYS = {
    "name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index",
    "threads", "iterations", "real_time", "cpu_time", "time_unit", "aggregate_name", "aggregate_unit", "label",
    "error_occurred", "error_message",
}  # fmt: skip


class BadRow(Exception):
    pass


def checked(row, where):
    """The row with exactly the keys of KEYS, or BadRow."""
    if not isinstance(row, dict) or set(row) != set(KEYS):
        raise BadRow(f"{where}: expected an object with {', '.join(KEYS)}, found {json.dumps(row)}")
    if isinstance(row["value"], bool) or not isinstance(row["value"], (int, float)):
        raise BadRow(f"{where}: value must be a number, found {json.dumps(row['value'])}")
    for key in KEYS:
        if key != "value" and not isinstance(row[key], str):
            raise BadRow(f"{where}: {key} must be a text, found {json.dumps(row[key])}")
    return {key: row[key] for key in KEYS}


def rows_from_lines(text):
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise BadRow(f"line {number}: not JSON ({error})") from error
        rows.append(checked(row, f"line {number}"))
    return rows


def rows_from_google_benchmark(text):
    rows = []
    for run in json.loads(text)["benchmarks"]:
        if run.get("error_occurred"):
            raise BadRow(f"{run['name']}: {run.get('error_message', 'failed')}")
        measured = [("cpu_time", run["cpu_time"], run["time_unit"])]
        measured += [(key, value, "") for key, value in run.items() if key not in GOOGLE_KEYS]
        for metric, value, unit in measured:
            row = {"case": run["name"], "system": SYSTEM, "metric": metric, "value": value, "unit": unit}
            rows.append(checked(row, run["name"]))
    return rows


def shown(value):
    """At most four significant digits, thousands separated, never with an exponent."""
    if value == 0 or isinstance(value, int):
        return f"{value:,}"
    whole_digits = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    text = f"{value:,.{max(0, 4 - whole_digits)}f}"
    if float(text.replace(",", "")) == 0:
        return f"{value:.2e}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def table(rows):
    systems = list(dict.fromkeys(row["system"] for row in rows))
    lines = {}
    for row in rows:
        key = (row["case"], row["metric"], row["unit"])
        lines.setdefault(key, {})[row["system"]] = shown(row["value"])
    cells = [["case", "metric", "unit", *systems]]
    cells += [[*key, *(values.get(system, "-") for system in systems)] for key, values in lines.items()]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    text = ""
    for line in cells:
        # Names to the left, numbers to the right.
        padded = [c.ljust(w) if i < 3 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))]
        text += "  ".join(padded).rstrip() + "\n"
    return text


def main(arguments):
    parse = rows_from_lines
    if arguments[:1] == ["--google-benchmark"]:
        parse = rows_from_google_benchmark
        arguments = arguments[1:]
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    source, target = arguments
    with open(source, encoding="utf-8") as file:
        text = file.read()
    try:
        rows = parse(text)
    except BadRow as error:
        print(f"bench_report.py: {source}: {error}", file=sys.stderr)
        return 2
    if not rows:
        print(f"bench_report.py: {source}: no results", file=sys.stderr)
        return 2
    with open(target, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
        file.write("\n")
    sys.stdout.write(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
