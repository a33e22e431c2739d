#!/usr/bin/env python3
"""Writes a synthetic trace in the Standard Workload Format: same seed, same bytes.

Usage: make_swf.py --jobs 10000 --procs 1000 [--load 0.85] [--seed 1] [--median-run 900] > trace.swf

  size           log-uniform from 1 processor to a quarter of the machine, rounded to whole processors
  run time       log-normal: median --median-run seconds, sigma 1.5, cut to 10 s .. 2 days
  requested time run time times a log-uniform factor from 1 to 8, rounded up to 5 minutes
  submit         Poisson with a daily cycle: the rate is 1 + 0.6 sin, highest at 15:00, lowest at 03:00; the mean
                 rate is such that processors x run time of all jobs is --load of the machine over the span
"""
import argparse
import math
import random
import sys

DAY_S = 86_400
SIGMA = 1.5
CYCLE = 0.6
SHORTEST_RUN_S, LONGEST_RUN_S = 10, 2 * DAY_S
LARGEST_OVERESTIMATE = 8
REQUEST_STEP_S = 300
UNIX_START = 1_767_225_600  # 2026-01-01 00:00 UTC


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def one_job(rng, largest, median_run):
    """(processors, run time, requested time)."""
    size = min(largest, max(1, round(log_uniform(rng, 1, largest))))
    run = round(min(LONGEST_RUN_S, max(SHORTEST_RUN_S, rng.lognormvariate(math.log(median_run), SIGMA))))
    asked = math.ceil(run * log_uniform(rng, 1, LARGEST_OVERESTIMATE) / REQUEST_STEP_S) * REQUEST_STEP_S
    return size, run, asked


def arrivals(rng, count, mean_rate):
    """Times of a Poisson process whose rate follows the day, by thinning one of the highest rate."""
    times, now = [], 0.0
    while len(times) < count:
        now += rng.expovariate(mean_rate * (1 + CYCLE))
        rate = 1 + CYCLE * math.sin(2 * math.pi * (now / DAY_S - 9 / 24))
        if rng.random() * (1 + CYCLE) < rate:
            times.append(round(now))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--procs", type=int, default=1_000)
    parser.add_argument("--load", type=float, default=0.85)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--median-run", type=float, default=900)
    flags = parser.parse_args()
    if min(flags.jobs, flags.procs, flags.load, flags.median_run) <= 0:
        sys.exit("make_swf.py: --jobs, --procs, --load and --median-run must be above 0")

    rng = random.Random(flags.seed)
    largest = max(1, flags.procs // 4)
    jobs = [one_job(rng, largest, flags.median_run) for _ in range(flags.jobs)]
    work = sum(size * run for size, run, _ in jobs)
    times = arrivals(rng, flags.jobs, flags.jobs * flags.load * flags.procs / work)

    print(f"; Synthetic: {flags.jobs} jobs, load {flags.load}, seed {flags.seed} (bench/simulate/make_swf.py)")
    print(f"; UnixStartTime: {UNIX_START}\n; MaxNodes: {flags.procs}\n; MaxProcs: {flags.procs}")
    for number, (submit, (size, run, asked)) in enumerate(zip(times, jobs), start=1):
        print(f"{number} {submit} -1 {run} {size} -1 -1 {size} {asked} -1 1 {number % 17} 1 1 1 1 -1 -1")


if __name__ == "__main__":
    main()
