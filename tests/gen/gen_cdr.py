#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Call records for tests: the generator of examples/demo, and beside the CSV what every record means.

usage: gen_cdr.py --output FOLDER [--rows N] [--seed N] [--quoting SHARE] [--bad N] ... --truth FILE

The truth is JSON lines, one for each record in the order of the files: {"file", "record", "line",
"offset", ...}; a good record adds caller, callee, start (ms since 1970, the day taken as Asia/Shanghai),
duration, type, cell; a bad one adds only "bad": the name of what is wrong with it. `record` and `line`
count from 1, the header being line 1 and no record; `offset` is that of the record's first byte in the
uncompressed text. `truth()` gives the same to a test in the same process."""

import argparse
import calendar
import json
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "examples", "demo"))

import make_calls  # noqa: E402  (found through the line above)

# Asia/Shanghai has kept eight hours east of UTC, without changes, since 1991.
ZONE_SECONDS = 8 * 3600


def day_start(date):
    return calendar.timegm(time.strptime(date, "%Y-%m-%d")) - ZONE_SECONDS


def meaning(call, midnight):
    if call.bad:
        return {"bad": call.bad}
    return {"caller": call.caller, "callee": call.callee,
            "start": (midnight + call.second) * 1000, "duration": call.duration,
            "type": call.type, "cell": call.cell}


def truth(path, calls):
    """(meaning, CSV text) for each record of one file."""
    midnight = day_start(calls.date)
    line, offset = 2, len(make_calls.HEADER) + 1
    for record, (call, text) in enumerate(calls, 1):
        place = {"file": os.path.basename(path), "record": record, "line": line, "offset": offset}
        yield dict(place, **meaning(call, midnight)), text
        line += text.count("\n") + 1
        offset += len(text.encode()) + 1


def generate(options):
    """Writes the files of the options and yields the meaning of every record in them."""
    os.makedirs(options.output, exist_ok=True)
    for path, calls in make_calls.file_set(options):
        meanings = []

        def texts(path=path, calls=calls, meanings=meanings):
            for known, text in truth(path, calls):
                meanings.append(known)
                yield text

        make_calls.write_records(path, texts())
        yield from meanings


def options_for(output, **chosen):
    """The options as the command line would give them: options_for(folder, rows=1000, bad=4)."""
    parser = argparse.ArgumentParser()
    make_calls.add_arguments(parser)
    options = parser.parse_args(["--output", output, "--rows", "1000", "--bad", "0"])
    for name, value in chosen.items():
        if not hasattr(options, name):
            raise TypeError("no option '%s'" % name)
        setattr(options, name, value)
    return options


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    make_calls.add_arguments(parser)
    parser.add_argument("--truth", help="file for what every record means")
    options = parser.parse_args()
    known = generate(options)
    if not options.truth:
        for _ in known:
            pass
        return
    with open(options.truth, "w", encoding="utf-8") as file:
        for row in known:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
