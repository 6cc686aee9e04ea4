#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes csv.tsv: random CSV data and what Python's csv module (strict) reads from it.

Cells: dialect, data in hexadecimal, records. A record is the physical line where it starts, ":", and its fields in
hexadecimal ("-" when empty) joined by ","; records are joined by ";". "none" is no record at all, "error" is what Python's strict mode refuses. Blank lines are
no records. Delimiters of several bytes, which Python's module cannot do, are split with str.split."""

import csv
import io
import os
import random
import re

DIALECTS = {
    "comma": dict(delimiter=",", quotechar='"'),
    "tab": dict(delimiter="\t", quotechar='"'),
    "pipe": dict(delimiter="|", quotechar="'"),
    "blank": dict(delimiter=" ", quotechar='"'),
    "noquote": dict(delimiter=",", quoting=csv.QUOTE_NONE),
    "escape": dict(delimiter=",", quotechar='"', escapechar="\\"),
    "aaa": "aaa",
    "pipes": "||",
}
PER_DIALECT = 300


def pieces(name):
    dialect = DIALECTS[name]
    if isinstance(dialect, str):
        return [dialect, dialect[:-1], dialect[0], "\n", "\r\n", "\r", "b", "c\0", '"', "\xe9"]
    delimiter = dialect["delimiter"]
    quote = dialect.get("quotechar") or '"'
    some = [delimiter, delimiter, quote, quote + quote, quote + "x" + quote, delimiter + quote + "y\nz" + quote,
            quote + delimiter + quote, "\n", "\n", "\r\n", "\r", "a", " ", "b\t", "\0", "\xff\x80", "long text"]
    if "escapechar" in dialect:
        some += ["\\", "\\\\", "\\" + quote, "\\" + delimiter, "\\n", "\\\n"]
    return some


def read(name, text):
    dialect = DIALECTS[name]
    if isinstance(dialect, str):
        lines = enumerate(re.split("\r\n|\n|\r", text), 1)
        return [(number, line.split(dialect)) for number, line in lines if line]
    try:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True, **dialect)
        rows = []
        start = 1
        for row in reader:
            if row:
                rows.append((start, row))
            start = reader.line_num + 1
        return rows
    except csv.Error:
        return None


def shown(rows):
    if rows is None:
        return "error"
    if not rows:
        return "none"
    return ";".join("%d:%s" % (line, ",".join(f.encode("latin-1").hex() or "-" for f in row)) for line, row in rows)


def lone_escape(text):
    """An escape in front of the last line end: it covers that, and what follows is the end of the file."""
    rest = text[:-1]
    return (len(rest) - len(rest.rstrip("\\"))) % 2 == 1


def main():
    random.seed(4180)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "csv.tsv")
    with open(path, "w", encoding="ascii", newline="\n") as out:
        for name in DIALECTS:
            some = pieces(name)
            made = 0
            while made < PER_DIALECT:
                text = "".join(random.choice(some) for _ in range(random.randrange(1, 16)))
                if name == "escape":
                    # After an escaped line end Python needs another one to finish a record.
                    text += "\n"
                    if lone_escape(text):
                        continue
                rows = read(name, text)
                if rows is None and random.random() < 0.7:
                    continue
                out.write("%s\t%s\t%s\n" % (name, text.encode("latin-1").hex(), shown(rows)))
                made += 1


if __name__ == "__main__":
    main()
