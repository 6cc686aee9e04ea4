# SPDX-License-Identifier: Apache-2.0
"""Feeds as they really come: fields in file names, header and trailer lines, encodings, selection, nulls, limits,
the order of files. Expected values are made with Python here; its codecs judge the encodings."""

import gzip
import os
import random
import shutil
from datetime import datetime, timedelta

from golden.harness import JobTest, Options, hfile_check, job_text, tree


class InputTest(JobTest):
    def values(self, dataset, table=None):
        """{row: {qualifier: value}}"""
        rows = {}
        for row, _, qualifier, _, _, value in dataset.cells(table):
            rows.setdefault(row, {})[qualifier.decode()] = value
        return rows

    def inputs(self, dataset):
        return dataset.manifest["inputs"]

    def same_bytes(self, job, *options, exit=0):
        """The dataset is the same with one and four threads, and with the smallest slices."""
        trees = []
        for i, more in enumerate((["--threads", "1"], ["--threads", "4"], ["--threads", "2", "--memory", "24MiB"])):
            self.run_job(job, *more, *options, output="same%d" % i, exit=exit)
            trees.append(tree(self.path("same%d" % i)))
        self.assertEqual(trees[0], trees[1])
        self.assertEqual(trees[0], trees[2])

    def fails(self, job, *parts, exit=4, options=(), **named):
        _, done = self.run_job(job, *options, exit=exit, output="failed", **named)
        for part in parts:
            self.assertIn(part, done.err)
        return done


class PathFields(InputTest):
    def job(self, files, pattern=r"calls-(?<day>\d+)", **named):
        named.setdefault("key", "day + k")
        named.setdefault("cells", '{"f:v": v, "f:d": day}')
        return job_text(files, more_input="path_fields: '%s'" % pattern, **named)

    def test_a_group_is_a_text_field_of_every_record(self):
        expected = {}
        for day in ("20240101", "20240102"):
            lines = ["%05d,v%d" % (i, i * 7) for i in range(20000)]
            self.write("in/calls-%s.csv" % day, "k,v\n" + "\n".join(lines) + "\n")
            expected.update({("%s%s" % (day, line[:5])).encode():
                             {"v": line[6:].encode(), "d": day.encode()} for line in lines})
        job = self.job("in/calls-*.csv")
        dataset, _ = self.run_job(job)
        self.assertEqual(self.values(dataset), expected)
        self.same_bytes(job)

    def test_directories_take_part_and_groups_may_be_typed(self):
        self.write("2024-03-05/east/a.csv", "k,v\n1,x\n")
        self.write("2024-03-06/west/a.csv", "k,v\n1,y\n")
        job = self.job(
            ["2024-03-05/east/a.csv", "2024-03-06/west/a.csv"],
            r"(?<day>\d{4}-\d\d-\d\d)/(?<side>[a-z]+)/", key="side + rev_ts(day)", timestamp="day",
            fields='{day: {type: time, format: "%Y-%m-%d", min: 2024-01-01, max: 2025-01-01}}', cells='{"f:v": v}')
        dataset, _ = self.run_job(job)
        ms = {"east": 1709596800000, "west": 1709683200000}  # date -u -d DAY +%s
        self.assertEqual(
            [(c[0], c[3], c[5]) for c in dataset.cells()],
            [(b"east" + (2 ** 63 - 1 - ms["east"]).to_bytes(8, "big"), ms["east"], b"x"),
             (b"west" + (2 ** 63 - 1 - ms["west"]).to_bytes(8, "big"), ms["west"], b"y")])

    def test_groups_in_where_and_when(self):
        for n in (1, 2, 3):
            self.write("calls-%d.csv" % n, "k,v\na,x\nb,y\n")
        dataset, _ = self.run_job(job_text(
            "calls-*.csv", key="text(day) + k", fields="{day: {type: int}}",
            more_input="path_fields: 'calls-(?<day>\\d+)'\n  where: day >= 2", more_table="when: day = 3"))
        self.assertEqual(dataset.rows(), [b"3a", b"3b"])
        self.assertEqual(dataset.manifest["counts"]["records_filtered"], 2)
        self.assertEqual(dataset.manifest["tables"][0]["not_selected"], 2)

    def test_null_and_absent_groups(self):
        self.write("calls-.csv", "k,v\na,x\n")
        self.write("calls-7.csv", "k,v\nb,x\n")
        dataset, _ = self.run_job(self.job(["calls-.csv", "calls-7.csv"], r"calls-(?<day>\d*)(?<mark>z)?",
                                           key='k + default(mark, "-")'))
        self.assertEqual(self.values(dataset), {b"a-": {"v": b"x"}, b"b-": {"v": b"x", "d": b"7"}})

    def test_no_match_names_file_and_pattern(self):
        self.write("calls-1.csv", "k,v\na,x\n")
        self.write("other.csv", "k,v\na,x\n")
        self.fails(self.job(["calls-1.csv", "other.csv"]), "other.csv", r"calls-(?<day>", "does not match")

    def test_a_value_that_cannot_be_converted_names_the_file(self):
        self.write("calls-99.csv", "k,v\na,x\n")
        job = self.job("calls-99.csv", fields='{day: {type: time, format: "%y%m%d"}}', key="k", cells='{"f:v": v}')
        self.fails(job, "calls-99.csv", "day", '"99"')

    def test_standard_input_has_no_path(self):
        self.fails(self.job("-"), "standard input", "no path", stdin=b"k,v\na,x\n")

    def test_a_group_that_is_also_a_column(self):
        self.write("calls-1.csv", "k,v,day\na,x,1\n")
        self.fails(self.job("calls-1.csv"), "calls-1.csv", '"day"', "column 3")
        self.write("calls-2.csv", "a,x\n")
        self.fails(self.job("calls-2.csv", r"calls-(?<c2>\d)", csv="{header: false}", key="c1", cells='{"f:v": c2}'),
                   "column 2")
        self.fails(self.job("calls-2.csv", csv="{header: false, columns: [k, day]}", key="k", cells='{"f:v": day}'),
                   "csv.columns", exit=2)

    def test_mistakes_in_the_job(self):
        self.write("calls-1.csv", "k,v\na,x\n")
        for pattern, part in ((r"calls-(\d+)", "no named group"), (r"calls-(?<day>\d+", "no pattern"),
                              (r"(?J)(?<day>\d)(?<day>\d)", "two groups"), (r"(*UTF)(?<day>.)", "no pattern")):
            self.fails(self.job("calls-1.csv", pattern), "job.yaml:", part, exit=2)
        self.fails(self.job("calls-1.csv", fields="{day: {column: 2}}"), "has no column", exit=2)

    def test_a_pattern_that_backtracks_without_end_is_an_error(self):
        self.write("a" * 60 + ".csv", "k,v\na,x\n")
        self.fails(self.job("a" * 60 + ".csv", r"^(a+)+(?<day>\d)$"), "takes too long")

    def test_values_decide_the_fingerprint_and_paths_do_not(self):
        prints = {}
        for folder, name in (("x", "calls-1.csv"), ("y", "calls-1.csv"), ("x", "calls-2.csv")):
            self.write("%s/%s" % (folder, name), "k,v\na,x\n")
            dataset, _ = self.run_job(self.job("%s/%s" % (folder, name)), output=folder + name)
            prints[folder, name] = dataset.manifest["run_fingerprint"]
        self.assertEqual(prints["x", "calls-1.csv"], prints["y", "calls-1.csv"])
        self.assertNotEqual(prints["x", "calls-1.csv"], prints["x", "calls-2.csv"])
        # Same job, same bytes, another day: not "already complete".
        self.write("job.yaml", self.job("x/calls-2.csv"))
        self.saltmill("run", "job.yaml", "--output", "xcalls-1.csv", exit=6)
        done = self.saltmill("run", "job.yaml", "--output", "xcalls-2.csv")
        self.assertIn("already complete", done.out)

    def test_the_pattern_is_part_of_the_job(self):
        self.write("calls-1.csv", "k,v\na,x\n")
        texts = []
        for pattern in (r"calls-(?<day>\d+)", r"s-(?<day>\d+)"):
            self.write("p.yaml", self.job("calls-1.csv", pattern))
            texts.append(self.saltmill("run", "p.yaml", "--output", "o", "--print-job").out)
        self.assertIn("input.path_fields", texts[0])
        self.assertIn("field.day.from = path", texts[0])
        self.assertNotEqual(*texts)

    def test_preview_shows_them(self):
        self.write("calls-5.csv", "k,v\na,x\n")
        self.write("job.yaml", self.job("calls-5.csv"))
        self.assertIn("day = 5", self.saltmill("preview", "job.yaml", "--output", "o").out)


class HeaderLines(InputTest):
    def job(self, files, pattern="^(#|H\\|)", **named):
        return job_text(files, more_input="header_lines: '%s'" % pattern, **named)

    def test_lines_that_match_are_skipped_and_counted(self):
        self.write("a.csv", "# made by x\r\nH|1|2\r\nk,v\r\na,1\r\n#b,2\r\n")
        self.write("b.csv", "k,v\nc,3\n")
        self.write("c.csv", b"\xef\xbb\xbfskip me\n# x\nk,v\nd,4\n")
        dataset, _ = self.run_job(self.job(["a.csv", "b.csv"]))
        self.assertEqual(self.values(dataset), {b"a": {"v": b"1"}, b"#b": {"v": b"2"}, b"c": {"v": b"3"}})
        self.assertEqual([i["header_lines"] for i in self.inputs(dataset)], [2, 0])
        dataset, _ = self.run_job(self.job("c.csv", csv="{skip_lines: 1}"), output="c")
        self.assertEqual(self.values(dataset), {b"d": {"v": b"4"}})

    def test_without_a_header(self):
        self.write("a.csv", "H|1|2|3\na,1\nb,2\n")
        dataset, _ = self.run_job(self.job("a.csv", csv="{header: false}", key="c1", cells='{"f:v": c2}'))
        self.assertEqual(self.values(dataset), {b"a": {"v": b"1"}, b"b": {"v": b"2"}})

    def test_more_of_them_than_one_read(self):
        lines = "".join("# %0100d\n" % i for i in range(3000))
        self.write("a.csv", lines + "k,v\na,1\n")
        dataset, _ = self.run_job(self.job("a.csv"))
        self.assertEqual(self.values(dataset), {b"a": {"v": b"1"}})
        self.assertEqual(self.inputs(dataset)[0]["header_lines"], 3000)

    def test_places_and_reject_files_count_them(self):
        self.write("a.csv", "# x\n# y\nk,v\na,1\nb\n")
        self.run_job(self.job("a.csv", limits="{rejects: 1}"), exit=3)
        entry = self.rejects()[0]
        self.assertEqual((entry["line"], entry["offset"], entry["record"]), (5, 16, 2))
        with open(self.path("out.rejects", "0000-a.csv"), "rb") as file:
            self.assertEqual(file.read(), b"# x\n# y\nk,v\nb\n")

    def test_nothing_but_such_lines(self):
        self.write("a.csv", "# x\n# y")
        dataset, _ = self.run_job(self.job("a.csv"))
        self.assertEqual(dataset.rows(), [])


class Trailer(InputTest):
    PATTERN = r"^T\|(?<count>\d+)$"

    def job(self, files, pattern=PATTERN, **named):
        return job_text(files, more_input="trailer: '%s'" % pattern, **named)

    def test_the_last_line_is_no_record(self):
        for name, text in (("plain", "k,v\na,1\nb,2\nT|2\n"), ("bare", "k,v\na,1\nb,2\nT|2"),
                           ("crlf", "k,v\r\na,1\r\nb,2\r\nT|0002\r\n"), ("blank", "k,v\na,1\n\nb,2\nT|2\n\n\r\n\n")):
            self.write(name + ".csv", text)
            dataset, _ = self.run_job(self.job(name + ".csv"), output=name)
            self.assertEqual(self.values(dataset), {b"a": {"v": b"1"}, b"b": {"v": b"2"}})
            self.assertEqual(self.inputs(dataset)[0]["records_read"], 2)

    def test_a_line_like_it_in_the_middle_is_a_record(self):
        self.write("a.csv", "k\nT|9\na\nT|2\n")
        dataset, _ = self.run_job(self.job("a.csv", cells='{"f:v": k}'))
        self.assertEqual(dataset.rows(), [b"T|9", b"a"])

    def test_slices_and_threads(self):
        rng = random.Random(7)
        expected = {}
        for n in range(3):
            lines = []
            for i in range(30000):
                key = "%d-%06d" % (n, i)
                value = "x" * rng.randrange(40) + ("\nq" if i % 97 == 0 else "")
                lines.append('%s,"%s"\n' % (key, value) + "\n" * (i % 11 == 0))
                expected[key.encode()] = {"v": value.encode()}
            self.write("%d.csv" % n, "k,v\n" + "".join(lines) + "T|30000\n")
        job = self.job("?.csv")
        dataset, _ = self.run_job(job)
        self.assertEqual(self.values(dataset), expected)
        self.same_bytes(job)

    def test_compressed(self):
        self.write("a.csv.gz", gzip.compress(b"k,v\na,1\nT|1\n"))
        dataset, _ = self.run_job(self.job("a.csv.gz"))
        self.assertEqual(dataset.rows(), [b"a"])

    def test_another_count_names_both(self):
        self.write("a.csv", "k,v\na,1\nb,2\nc\nT|5\n")
        self.fails(self.job("a.csv", limits="{rejects: 5}"), "a.csv", "counts 5", "3 were read")

    def test_without_the_line(self):
        self.write("a.csv", "k,v\na,1\nb,2\n")
        self.fails(self.job("a.csv"), "a.csv", "b,2", "truncated?")
        self.write("a.csv", "")
        self.fails(self.job("a.csv"), "a.csv", "truncated?")
        self.write("a.csv", "k,v\n\n\n")
        self.fails(self.job("a.csv"), "truncated?")

    def test_cut_within_the_line(self):
        whole = b"k,v\na,1\nb,2\nT|2\n"
        for cut in range(4, len(whole) - 1):
            if whole[:cut].rstrip(b"\n") + b"\n" == whole:
                continue
            self.write("a.csv", whole[:cut])
            self.fails(self.job("a.csv"), "a.csv")

    def test_no_records_at_all(self):
        self.write("a.csv", "k,v\nT|0\n")
        dataset, _ = self.run_job(self.job("a.csv"))
        self.assertTrue(dataset.manifest["empty"])
        self.write("b.csv", "T|0\n")
        dataset, _ = self.run_job(self.job("b.csv", csv="{header: false}", key="c1", cells='{"f:v": c2}'), output="b")
        self.assertTrue(dataset.manifest["empty"])

    def test_without_a_count(self):
        self.write("a.csv", "k,v\na,1\nEND,\n")
        dataset, _ = self.run_job(self.job("a.csv", "^END"))
        self.assertEqual(dataset.rows(), [b"a"])

    def test_a_count_that_is_no_number(self):
        self.write("a.csv", "k,v\na,1\nT|many\n")
        self.fails(self.job("a.csv", r"^T\|(?<count>.*)$"), '"many"')

    def test_as_a_comment(self):
        self.write("a.csv", "k,v\n#x\na,1\n#END 1\n")
        dataset, _ = self.run_job(self.job("a.csv", r"^#END (?<count>\d+)", csv='{comment: "#"}'))
        self.assertEqual(dataset.rows(), [b"a"])
        self.assertEqual(self.inputs(dataset)[0]["comment_lines"], 1)

    def test_an_open_quote_before_it(self):
        self.write("a.csv", 'k,v\na,1\nb,"2\nT|2\n')
        self.fails(self.job("a.csv"), "never closed", "line 3")

    def test_an_over_long_record_before_it(self):
        text = "k,v\na,1\n" + "x" * 300000 + ",y\nb,2\nT|3\n"
        self.write("a.csv", text)
        dataset, _ = self.run_job(self.job("a.csv", limits="{rejects: 1, record: 1KiB}"), exit=3)
        self.assertEqual(dataset.rows(), [b"a", b"b"])
        self.write("b.csv", "k,v\na,1\n" + "x" * 300000)
        self.fails(self.job("b.csv", limits="{rejects: 1, record: 1KiB}"), "truncated?")

    def test_only_count_is_a_group(self):
        self.write("a.csv", "k,v\na,1\nT|1\n")
        self.fails(self.job("a.csv", r"T\|(?<counts>\d)"), '"counts"', exit=2)

    def test_header_lines_and_trailer_decide_the_fingerprint(self):
        self.write("a.csv", "k,v\na,1\nT|1\n")
        prints = set()
        for i, more in enumerate(("trailer: '^T'", "trailer: '^T.1'", "trailer: '^T'\n  header_lines: '^H'")):
            dataset, _ = self.run_job(job_text("a.csv", more_input=more), output="o%d" % i)
            prints.add(dataset.manifest["run_fingerprint"])
        self.assertEqual(len(prints), 3)


class Encodings(InputTest):
    def job(self, files, encoding, **named):
        return job_text(files, more_input="encoding: %s" % encoding, **named)

    def stored(self, texts, encoding, csv="{header: true}", delimiter=",", header=("k", "v"), exit=0, limits="{rejects: 0}"):
        """Runs the records (texts in Python) in this encoding and gives {key: value}, decoded from UTF-8."""
        lines = [delimiter.join(header)] + [delimiter.join(fields) for fields in texts]
        self.write("in.csv", ("\n".join(lines) + "\n").encode(encoding))
        dataset, _ = self.run_job(self.job("in.csv", encoding, csv=csv, limits=limits,
                                           cells='{"f:v": "`%s`"}' % header[1]), "--replace", exit=exit)
        return {row.decode(): value["v"].decode() for row, value in self.values(dataset).items()}

    def test_utf8_passes_and_what_is_none_is_rejected(self):
        bad = [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe4\xb8", b"\x80", b"\xc3("]
        lines = [b"k,v"] + [b"bad%d,ab%s" % (i, piece) for i, piece in enumerate(bad)] + ["gut,äöü中文😀".encode()]
        self.write("in.csv", b"\n".join(lines) + b"\n")
        dataset, _ = self.run_job(self.job("in.csv", "utf-8", limits="{rejects: 100}"), exit=3)
        self.assertEqual(self.values(dataset), {b"gut": {"v": "äöü中文😀".encode()}})
        self.assertEqual(dataset.manifest["rejects"], {"bad-encoding": len(bad)})
        for entry, line in zip(self.rejects(), lines[1:]):
            with self.assertRaises(UnicodeDecodeError) as caught:
                line.decode("utf-8")
            self.assertIn("byte %d of the record" % caught.exception.start, entry["message"])
            self.assertEqual(entry["code"], "bad-encoding")
        with open(self.path("out.rejects", "0000-in.csv"), "rb") as file:
            self.assertEqual(file.read(), b"\n".join(lines[:-1]) + b"\n")

    def test_utf8_is_asked_of_columns_that_nobody_reads(self):
        self.write("in.csv", b"k,v,x\na,1,\xff\n")
        self.run_job(self.job("in.csv", "utf-8", limits="{rejects: 1}"), exit=3)

    def test_bytes_are_not_looked_at(self):
        self.write("in.csv", b"k,v\na,\xff\xfe\n")
        dataset, _ = self.run_job(self.job("in.csv", "bytes"))
        self.assertEqual(self.values(dataset), {b"a": {"v": b"\xff\xfe"}})

    def test_latin1(self):
        every = "".join(chr(c) for c in range(0x20, 0x100) if chr(c) not in ',"')
        records = [("a", every), ("ä", '"q""ü,"'), ("plain", "text"), ("ÿ" * 50, "é" * 5000)]
        wanted = dict(records, **{"ä": 'q"ü,'})
        self.assertEqual(self.stored(records, "latin1"), wanted)

    def test_latin1_keys_sort_as_utf8(self):
        self.write("in.csv", "k,v\nü,1\nz,2\nä,3\n".encode("latin1"))
        dataset, _ = self.run_job(self.job("in.csv", "latin1"))
        self.assertEqual(dataset.rows(), ["z".encode(), "ä".encode(), "ü".encode()])

    def test_gb18030(self):
        rng = random.Random(18030)
        def char():
            return rng.choice([chr(rng.randrange(0x4E00, 0x9FA6)), chr(rng.randrange(0x3400, 0x4DB6)),
                               chr(rng.randrange(0x20000, 0x2A6D7)), chr(rng.randrange(0xC0, 0x250)),
                               "é", "€", "😀", "x", "7", " "])
        records = [("%04d" % i, "".join(char() for _ in range(rng.randrange(30)))) for i in range(3000)]
        records = [(k, v) for k, v in records if v]
        self.assertEqual(self.stored(records, "gb18030"), dict(records))

    def test_gb18030_trail_bytes_that_look_like_the_delimiter(self):
        """All two-byte characters that end in | or backslash, beside real ones, with quotes around and within."""
        for tail, csv in ((0x7C, '{delimiter: "|"}'), (0x5C, "{delimiter: '\\x5C'}"), (0x41, "{delimiter: A}"),
                          (0x30, '{delimiter: "0"}')):
            pipe = chr(tail)
            chars = []
            for lead in range(0x81, 0xFF):
                try:
                    text = bytes([lead, tail]).decode("gb18030")
                except UnicodeDecodeError:
                    continue
                if len(text) == 1 and text.encode("gb18030") == bytes([lead, tail]):
                    chars.append(text)
            chars += ["ü", "€"] * 20 if not chars else []  # 0x30: four-byte characters only
            records, wanted = [], {}
            for i, c in enumerate(chars):
                key = "%s%c" % (c, 0x42 + i % 26)
                form, value = (('"%s"', c), ("%s", c), ('"a' + pipe + '%s""' + pipe + '"', 'a' + pipe + c + '"' + pipe),
                               ('%s"', c + '"'), ('x%s"' + "y", "x" + c + '"y'))[i % 5]
                key += "_%s" % "".join(chr(0x61 + int(d)) for d in str(i))
                records.append((key, form % c))
                wanted[key] = value
            self.assertGreater(len(records), 30)
            self.assertEqual(self.stored(records, "gb18030", csv=csv, delimiter=pipe), wanted, csv)

    def test_gb18030_column_names_and_nulls(self):
        self.write("in.csv", "号码,名\n1,无\n2,王\n".encode("gb18030"))
        job = self.job("in.csv", "gb18030", csv="{nulls: [无]}", key="`号码`",
                       cells='{"f:k": "`号码`", "f:v": "`名`"}')
        dataset, _ = self.run_job(job)
        self.assertEqual(self.values(dataset), {b"1": {"k": b"1"}, b"2": {"k": b"2", "v": "王".encode()}})

    def test_gb18030_that_is_none_is_rejected_with_its_bytes(self):
        bad = [b"\x80", b"\xff", b"\xb0", b"\xb0\x20", b"\x81\x30\x81", b"\xb0\x7f"]
        lines = [b"k,v"] + [b"bad%d,\xd6\xd0%s" % (i, piece) for i, piece in enumerate(bad)] + \
            ["gut,中文".encode("gb18030")]
        self.write("in.csv", b"\n".join(lines) + b"\n")
        dataset, _ = self.run_job(self.job("in.csv", "gb18030", limits="{rejects: 100}"), exit=3)
        self.assertEqual(self.values(dataset), {b"gut": {"v": "中文".encode()}})
        self.assertEqual([e["code"] for e in self.rejects()], ["bad-encoding"] * len(bad))
        self.assertTrue(all("byte 7 of the record" in e["message"] for e in self.rejects()))
        with open(self.path("out.rejects", "0000-in.csv"), "rb") as file:
            self.assertEqual(file.read(), b"\n".join(lines[:-1]) + b"\n")

    def test_rejects_of_other_kinds_keep_the_original_bytes(self):
        line = "键,中,过多\n".encode("gb18030")
        self.write("in.csv", b"k,v\n" + line)
        self.run_job(self.job("in.csv", "gb18030", limits="{rejects: 1}"), exit=3)
        with open(self.path("out.rejects", "0000-in.csv"), "rb") as file:
            self.assertEqual(file.read(), b"k,v\n" + line)

    def test_delimiters_that_cannot_be_told_are_refused(self):
        self.write("in.csv", "k,v\na,1\n")
        for encoding, csv, part in (("gb18030", "{escape: '\\'}", "escape"), ("gb18030", '{quote: "|"}', "quote"),
                                    ("latin1", "{delimiter: '\\xA7'}", "delimiter"),
                                    ("utf-8", "{delimiter: '\\xA7'}", "delimiter"),
                                    ("gb18030", "{delimiter: '\\xA3\\xAC'}", "delimiter")):
            done = self.fails(self.job("in.csv", encoding, csv=csv), part, encoding, exit=2)
            self.assertIn("job.yaml:", done.err)

    def test_marks_of_other_encodings(self):
        self.write("in.csv", b"\xef\xbb\xbfk,v\na,1\n")
        self.fails(self.job("in.csv", "gb18030"), "byte order mark", "utf-8")
        dataset, _ = self.run_job(self.job("in.csv", "utf-8"))
        self.assertEqual(dataset.rows(), [b"a"])
        self.write("gb.csv", b"\x84\x31\x95\x33" + "k,v\n中,1\n".encode("gb18030"))
        dataset, _ = self.run_job(self.job("gb.csv", "gb18030"), output="gb")
        self.assertEqual(dataset.rows(), ["中".encode()])

    def test_a_header_that_is_none(self):
        self.write("in.csv", b"k,v\xff\na,1\n")
        self.fails(self.job("in.csv", "utf-8"), "in.csv", "header", "byte 3")

    def test_threads(self):
        text = "k,v\n" + "".join("%06d,中文%d\n" % (i, i) for i in range(60000))
        self.write("in.csv", text.encode("gb18030"))
        self.same_bytes(self.job("in.csv", "gb18030"))

    def test_the_encoding_decides_the_fingerprints(self):
        self.write("in.csv", "k,v\na,1\n")
        runs, keys = {}, {}
        for encoding in ("bytes", "utf-8", "latin1", "gb18030"):
            dataset, _ = self.run_job(self.job("in.csv", encoding), output=encoding)
            runs[encoding] = dataset.manifest["run_fingerprint"]
            keys[encoding] = dataset.manifest["tables"][0]["fingerprint"]
        self.assertEqual(len(set(runs.values())), 4)
        self.assertEqual(keys["bytes"], keys["utf-8"])  # the same bytes make the same keys
        self.assertEqual(len(set(keys.values())), 3)


class TimeRange(InputTest):
    """Half open, in the field's zone; who is outside is counted, who has no time is rejected."""

    def job(self, more=""):
        return job_text("in.csv", key="k", timestamp="start", cells='{"f:v": v}', limits="{rejects: 10%}", fields=(
            '{start: {type: time, format: "%Y-%m-%d %H:%M:%S", zone: Asia/Shanghai, min: 2019-01-01, '
            'max: "${date} + 2d"}}'), more_input='time_range: {field: start, from: "${date} - 30d", '
            'to: "${date} + 1d"}' + more)

    def records(self, count):
        """(key, value, local time or None): around both borders by seconds, every 40th without a time."""
        start, end = datetime(2021, 8, 13), datetime(2021, 9, 13)
        picked = random.Random(7)
        made = []
        for i in range(count):
            near = (start, end)[picked.randrange(2)] + timedelta(seconds=picked.randrange(-3, 3))
            at = start + timedelta(seconds=picked.randrange(-9 ** 6, 5 * 9 ** 6)) if i % 3 else near
            made.append(("k%06d" % i, "v%d" % i, None if i % 40 == 39 else min(at, datetime(2021, 9, 13, 23))))
        return made, start, end

    def test_what_is_outside_is_counted_apart(self):
        records, start, end = self.records(60000)
        self.write("in.csv", "k,v,start\n" + "".join(
            "%s,%s,%s\n" % (k, v, "" if at is None else at) for k, v, at in records))
        inside = [r for r in records if r[2] is not None and start <= r[2] < end]
        outside = [r for r in records if r[2] is not None and not start <= r[2] < end]
        self.assertTrue(any(r[2] == start for r in inside) and any(r[2] == end for r in outside))
        trees = []
        for threads in (1, 2, 7):
            output = "out%d" % threads
            dataset, done = self.run_job(self.job(), "--set", "date=2021-09-12", "--threads", threads,
                                         "--memory", "64MiB", output=output, exit=3)
            trees.append(tree(self.path(output)))
        self.assertEqual(trees[0], trees[1])
        self.assertEqual(trees[0], trees[2])
        counts = dict(records_read=len(records), records_accepted=len(inside), records_filtered=len(outside),
                      records_rejected=len(records) - len(inside) - len(outside),
                      records_out_of_range=len(outside))
        self.assertEqual(dataset.manifest["counts"], counts)
        self.assertEqual(dataset.manifest["rejects"], {"time-range-null": counts["records_rejected"]})
        self.assertIn("%d filtered (%d out of the time range)" % (len(outside), len(outside)), done.out)
        self.assertEqual(self.values(dataset), {k.encode(): {"v": v.encode()} for k, v, _ in inside})

    def test_where_is_asked_first(self):
        self.write("in.csv", "k,v,start\na,1,\nb,1,2019-02-03 00:00:00\nc,1,2021-09-12 00:00:00\n")
        dataset, _ = self.run_job(self.job("\n  where: start is not null"), "--set", "date=2021-09-12")
        self.assertEqual(dataset.manifest["counts"], {
            "records_read": 3, "records_accepted": 1, "records_rejected": 0, "records_filtered": 2,
            "records_out_of_range": 1})

    def test_the_range_decides_the_run_and_not_the_key(self):
        self.write("in.csv", "k,v,start\nc,1,2021-09-12 00:00:00\n")
        made = [self.run_job(self.job(), "--set", "date=" + date, output=date)[0].manifest
                for date in ("2021-09-12", "2021-09-11")]
        self.assertNotEqual(made[0]["run_fingerprint"], made[1]["run_fingerprint"])
        self.assertEqual(made[0]["tables"][0]["fingerprint"], made[1]["tables"][0]["fingerprint"])


class CellTtl(InputTest):
    def test_the_tag_of_a_cell(self):
        """HBase's TagType.TTL_TAG_TYPE is 8; a tag is its length of two bytes (type included), the type, and
        here a long of milliseconds. No value, no tag."""
        self.write("in.csv", "k,v,ms\na,1,86400000\nb,2,\nc,3,1\n")
        job = job_text("in.csv", fields="{ms: {type: int}}", cells="""
      - {family: f, qualifier: '"v"', value: v, ttl: ms}
      - {family: f, qualifier: '"w"', value: v}
      - {family: f, qualifier: '"x"', value: v, ttl: 60000}""")
        dataset, _ = self.run_job(job)
        tags = {}
        for entry in dataset.files():
            reader = hfile_check.HFile(os.path.join(dataset.path, entry["path"]), Options())
            reader.run(lambda c: tags.__setitem__((c.row, c.qual), bytes(c.tags)))

        def ttl(ms):
            return b"\x00\x09\x08" + ms.to_bytes(8, "big")
        self.assertEqual(tags, {
            (b"a", b"v"): ttl(86400000), (b"a", b"w"): b"", (b"a", b"x"): ttl(60000),
            (b"b", b"v"): b"", (b"b", b"w"): b"", (b"b", b"x"): ttl(60000),
            (b"c", b"v"): ttl(1), (b"c", b"w"): b"", (b"c", b"x"): ttl(60000)})

    def test_a_ttl_of_nothing_is_a_reject(self):
        self.write("in.csv", "k,v,ms\na,1,0\nb,1,-1\nc,1,1\n")
        job = job_text("in.csv", fields="{ms: {type: int}}", limits="{rejects: 2}",
                       cells="[{family: f, qualifier: '\"v\"', value: v, ttl: ms}]")
        dataset, _ = self.run_job(job, exit=3)
        self.assertEqual(dataset.rows(), [b"c"])
        self.assertIn("more than 0", self.rejects()[0]["message"])


class Selection(InputTest):
    TABLES = """input:
  files: [in.csv]
  fields: {n: {type: int}}
  where: n > 0
tables:
  - {name: all, key: k, timestamp: 1000, families: {f: {}}, cells: {"f:v": v}}
  - {name: some, key: k, timestamp: 1000, families: {f: {}}, cells: {"f:n": int32be(n)}, when: n >= 10}
  - {name: none, key: k, timestamp: 1000, families: {f: {}}, cells: {"f:n": int32be(n)}, when: n = 5 and v = "no"}
limits: {rejects: %d}
"""

    def test_where_and_when(self):
        numbers = list(range(-20, 41))
        self.write("in.csv", "k,v,n\n" + "".join("r%03d,v,%d\n" % (n + 100, n) for n in numbers))
        dataset, _ = self.run_job(self.TABLES % 0)
        counts = dataset.manifest["counts"]
        accepted = [n for n in numbers if n > 0]
        self.assertEqual(counts, {"records_read": len(numbers), "records_accepted": len(accepted),
                                  "records_rejected": 0, "records_filtered": len(numbers) - len(accepted)})
        by_name = {t["name"]: t for t in dataset.manifest["tables"]}
        some = [n for n in accepted if n >= 10]
        self.assertEqual((by_name["all"]["row_images"], by_name["all"]["not_selected"]), (len(accepted), 0))
        self.assertEqual((by_name["some"]["row_images"], by_name["some"]["not_selected"]),
                         (len(some), len(accepted) - len(some)))
        self.assertEqual((by_name["none"]["row_images"], by_name["none"]["not_selected"]), (0, len(accepted)))
        self.assertEqual(dataset.files("none"), [])
        self.assertEqual(self.values(dataset, "some"),
                         {b"r%03d" % (n + 100): {"n": n.to_bytes(4, "big", signed=True)} for n in some})

    def test_a_null_makes_a_condition_false(self):
        self.write("in.csv", "k,v,n\na,v,\nb,v,1\n")
        dataset, _ = self.run_job(self.TABLES % 0)
        self.assertEqual(dataset.manifest["counts"]["records_filtered"], 1)

    def test_a_record_that_fails_for_one_table_is_rejected_whole(self):
        self.write("in.csv", "k,v,n\na,v,9999999999\nb,v,12\n")
        dataset, _ = self.run_job(self.TABLES % 1, exit=3)
        self.assertEqual([t["row_images"] for t in dataset.manifest["tables"]], [1, 1, 0])
        self.assertEqual(dataset.rows("all"), [b"b"])
        entry = self.rejects()[0]
        self.assertEqual((entry["line"], entry["code"]), (2, "number-out-of-range"))
        self.assertIn("tables[1]", entry["message"] + str(entry["field"]))

    def test_what_is_filtered_is_still_a_reject_when_it_cannot_be_read(self):
        self.write("in.csv", "k,v,n\na,v,x\nb,v,1\n")
        dataset, _ = self.run_job(self.TABLES % 1, exit=3)
        self.assertEqual(dataset.manifest["rejects"], {"not-an-int": 1})


class Nulls(InputTest):
    def test_quoted_and_unquoted_empty_texts(self):
        self.write("in.csv", 'k,v,n\na,,\nb,"",""\nc,x,1\nd,"x","1"\n')
        dataset, _ = self.run_job(job_text("in.csv", fields="{n: {type: int}}",
                                           cells='{"f:v": v, "f:n": int64be(n)}', limits="{rejects: 1}"), exit=3)
        one = (1).to_bytes(8, "big")
        self.assertEqual(self.values(dataset), {b"b": {"v": b""}, b"c": {"v": b"x", "n": one},
                                                b"d": {"v": b"x", "n": one}})
        # Every value of a is null.
        self.assertEqual([(e["line"], e["code"]) for e in self.rejects()], [(2, "no-cell")])

    def test_listed_texts(self):
        self.write("in.csv", 'k,v\na,NULL\nb,"NULL"\nc,-\nd,\ne,null\n')
        dataset, _ = self.run_job(job_text("in.csv", csv='{nulls: ["NULL", "-"]}', cells='{"f:k": k, "f:v": v}'))
        self.assertEqual({r: v.get("v") for r, v in self.values(dataset).items()},
                         {b"a": None, b"b": b"NULL", b"c": None, b"d": b"", b"e": b"null"})

    def test_a_family_without_cells_has_no_files(self):
        self.write("in.csv", "k,v,w\na,1,\nb,2,\n")
        dataset, _ = self.run_job(job_text("in.csv", families="{f: {}, g: {}}", cells='{"f:v": v, "g:w": w}'))
        self.assertEqual({f["family"] for f in dataset.files()}, {"f"})
        self.assertFalse(os.path.exists(self.path("out", "t", "g")))

    def test_a_null_key_part_is_a_reject(self):
        self.write("in.csv", 'k,v\n,1\n"",2\nc,3\n')
        dataset, _ = self.run_job(job_text("in.csv", key='"p" + k', limits="{rejects: 2}"), exit=3)
        self.assertEqual(dataset.rows(), [b"pc"])
        self.assertEqual([e["code"] for e in self.rejects()], ["null-key-part", "empty-key-part"])


class Limits(InputTest):
    def test_key_of_32767_bytes_and_one_more(self):
        self.write("in.csv", "k,v\n%s,1\n%s,2\n" % ("a" * 32767, "b" * 32768))
        dataset, _ = self.run_job(job_text("in.csv", limits="{rejects: 1}"), exit=3)
        self.assertEqual(dataset.rows(), [b"a" * 32767])
        self.assertEqual([(e["line"], e["code"]) for e in self.rejects()], [(3, "key-too-long")])

    def test_cell_limit(self):
        self.write("in.csv", "k,v\na,%s\nb,%s\n" % ("x" * 4096, "y" * 4097))
        dataset, _ = self.run_job(job_text("in.csv", limits="{rejects: 1, cell: 4KiB}"), exit=3)
        self.assertEqual(self.values(dataset), {b"a": {"v": b"x" * 4096}})
        self.assertEqual([e["code"] for e in self.rejects()], ["cell-too-large"])

    def test_the_cell_limit_is_10_mib_unless_said(self):
        self.write("in.csv", "k,v\na,%s\nb,%s\n" % ("x" * (10 << 20), "y" * ((10 << 20) + 1)))
        dataset, _ = self.run_job(job_text("in.csv", limits="{rejects: 1}"), exit=3)
        self.assertEqual(dataset.rows(), [b"a"])

    def test_record_limit(self):
        self.write("in.csv", "k,v\na,%s\nb,%s\nc,1\n" % ("x" * 1022, "y" * 1023))
        dataset, _ = self.run_job(job_text("in.csv", limits="{rejects: 1, record: 1KiB}"), exit=3)
        self.assertEqual(dataset.rows(), [b"a", b"c"])
        self.assertEqual([(e["line"], e["code"]) for e in self.rejects()], [(3, "record-too-long")])

    def test_an_unterminated_quote_names_its_line(self):
        self.write("in.csv", 'k,v\na,1\nb,"2\n' + "c,3\n" * 1000)
        self.fails(job_text("in.csv", limits="{rejects: 1}"), "in.csv", "line 3", "never closed")

    def test_family_of_127_bytes_and_one_more(self):
        self.write("in.csv", "k,v\na,1\n")
        name = "f" * 127
        dataset, _ = self.run_job(job_text("in.csv", families="{%s: {}}" % name, cells='{"%s:v": v}' % name))
        self.assertEqual([c[1] for c in dataset.cells()], [name.encode()])
        self.fails(job_text("in.csv", families="{f%s: {}}" % name, cells='{"f%s:v": v}' % name), "127", exit=2)


class Order(InputTest):
    def last(self, files, output, *options):
        """Value of the one cell that every file has: the last file's wins."""
        dataset, _ = self.run_job(job_text(files), *options, output=output)
        self.paths = [i["path"] for i in dataset.manifest["environment"]["inputs"]]
        return self.values(dataset)[b"a"]["v"].decode()

    def setUp(self):
        super().setUp()
        for name in ("B.csv", "a.csv", "a10.csv", "a9.csv", "é.csv", "_x.csv", ".h.csv"):
            self.write("d/" + name, "k,v\na,%s\n" % name)

    def test_globs_and_folders_sort_bytewise(self):
        expected = sorted(["B.csv", "a.csv", "a10.csv", "a9.csv", "é.csv"], key=str.encode)
        self.assertEqual(self.last("d", "folder"), expected[-1])
        self.assertEqual([os.path.basename(p) for p in self.paths], expected)
        self.assertEqual(self.last("d/a*.csv", "glob"), "a9.csv")

    def test_entries_of_the_list_stay_in_place(self):
        self.assertEqual(self.last(["d/a9.csv", "d/B.csv", "d/a1*.csv"], "list"), "a10.csv")
        self.assertEqual(self.last(["d/a1*.csv", "d/B.csv"], "list2"), "B.csv")
        self.assertEqual(self.last("nothing", "option", "--input", "d/B.csv", "--input", "d/a.csv"), "a.csv")

    def test_a_file_named_twice(self):
        self.fails(job_text(["d/a.csv", "d/a.csv"]), "named twice", exit=2)
        self.fails(job_text(["d/a.csv", "d/a*.csv"]), "named twice", exit=2)
        os.symlink("a.csv", self.path("d/link.csv"))
        self.fails(job_text(["d/a.csv", "d/link.csv"]), "same file", exit=2)

    def test_nothing_there(self):
        self.fails(job_text("d/*.gz"), "d/*.gz")
        self.fails(job_text("d/missing.csv"), "missing.csv")


class Clocks(InputTest):
    """2024-10-27 in Europe/Berlin has 02:00-02:59 twice."""
    FIELD = '{t: {type: time, format: "%%Y-%%m-%%d %%H:%%M", zone: Europe/Berlin, min: %s, max: %s%s}}'

    def job(self, more, low="2024-10-01", high="2024-11-01", **named):
        return job_text("in.csv", timestamp="t", fields=self.FIELD % (low, high, more), cells='{"f:v": k}', **named)

    def setUp(self):
        super().setUp()
        self.write("in.csv", "k,t\na,2024-10-27 01:30\nb,2024-10-27 02:30\nc,2024-10-27 03:30\n")

    def test_a_rule_must_stand_in_the_job(self):
        self.fails(self.job(""), "ambiguous", "Europe/Berlin", exit=2)
        # No hour is repeated in summer: no rule is needed.
        self.write("in.csv", "k,t\na,2024-07-01 02:30\n")
        self.run_job(self.job("", "2024-06-01", "2024-08-01"))

    def test_rules_and_their_count(self):
        utc = {b"a": 1729985400000, b"c": 1729996200000}  # 23:30 the day before, 02:30
        for rule, ms in (("earliest", 1729989000000), ("latest", 1729992600000)):
            dataset, _ = self.run_job(self.job(", ambiguous: " + rule), output=rule)
            self.assertEqual({c[0]: c[3] for c in dataset.cells()}, {**utc, b"b": ms})
            self.assertEqual(self.inputs(dataset)[0]["repeated_local_times"], 1)
        dataset, _ = self.run_job(self.job(", ambiguous: reject", limits="{rejects: 1}"), output="r", exit=3)
        self.assertEqual(dataset.rows(), [b"a", b"c"])
        self.assertEqual(dataset.manifest["rejects"], {"time-ambiguous": 1})

    def test_path_fields_are_counted_once_per_file(self):
        self.write("x-2024-10-27_02:30.csv", "k\na\nb\nc\n")
        field = self.FIELD.replace("%%d %%H", "%%d_%%H") % ("2024-10-01", "2024-11-01", ", ambiguous: latest")
        dataset, _ = self.run_job(job_text("x-2024-10-27_02:30.csv", timestamp="t", fields=field, cells='{"f:v": k}',
                                           more_input="path_fields: 'x-(?<t>[^.]+)'"))
        self.assertEqual({c[3] for c in dataset.cells()}, {1729992600000})
        self.assertEqual(self.inputs(dataset)[0]["repeated_local_times"], 1)


class FeedFaults(InputTest):
    """Allocations that fail, with everything that a feed can bring (test_safety.py does the rest of a run)."""

    def test_memory(self):
        self.write("calls-7.csv", "# x\n号码,v\n1,中\n2,|\n3\nT|3\n".encode("gb18030"))
        job = self.write("job.yaml", job_text(
            "calls-7.csv", key="`号码` + day", limits="{rejects: 1}",
            more_input="encoding: gb18030\n  path_fields: '-(?<day>\\d)'\n  header_lines: '^#'\n"
                       "  trailer: '^T.(?<count>\\d+)'"))

        def run(plan):
            done = self.saltmill("run", job, "--output", "out", "--threads", "1", exit=None,
                                 env={"SALTMILL_FAULT": plan} if plan else {})
            seen = tree(self.path("out")) if done.returncode == 3 else os.path.exists(self.path("out"))
            for name in ("out", "out.rejects", "out.partial"):
                shutil.rmtree(self.path(name), ignore_errors=True)
            return done, seen
        done, whole = run(None)
        self.assertEqual(done.returncode, 3, done.err)
        n = hits = survived = 0
        # Some failures are survived: the end is where none happens for a while.
        while survived < 30:
            n += 1 + n // 80
            done, seen = run("memory:%d" % n)
            if done.returncode == 3:
                survived += 1
                continue
            survived = 0
            hits += 1
            self.assertIn(done.returncode, (2, 5), "memory:%d: %s" % (n, done.err))
            self.assertIn("memory", done.err)
            self.assertFalse(seen)
        self.assertEqual(seen, whole)
        self.assertGreater(hits, 100, "is this build without failure injection?")
