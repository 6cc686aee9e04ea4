# SPDX-License-Identifier: Apache-2.0
"""Inputs of kinds that other tools got wrong in public (tests/cases/case-NN): CSV shape, quotes, separators,
encodings, compression. What is right stands here value by value; cases.md tells each one's story."""

import gzip
import os
import subprocess
import sys

from golden.harness import CASES, Dataset, JobTest, job_text


def case(number, name):
    return os.path.join(CASES, "case-%02d" % number, name)


class CsvCases(JobTest):
    def records(self, files, columns, csv="{header: true}", key=None, exit=0, limits="{rejects: 0}", **named):
        """Runs a job that stores every column as a cell and gives the records as lists, in key order."""
        cells = "{%s}" % ", ".join('"f:%02d": "%s"' % (i, c) for i, c in enumerate(columns))
        job = job_text(files, key=key or columns[0], cells=cells, csv=csv, limits=limits, **named)
        dataset, done = self.run_job(job, exit=exit)
        if dataset is None:
            return done
        rows = {}
        for row, _, qualifier, _, _, value in dataset.cells():
            rows.setdefault(row, {})[int(qualifier)] = value
        return [[rows[row].get(i) for i in range(len(columns))] for row in sorted(rows)]

    def test_01_leading_zeros_survive(self):
        got = self.records(case(1, "in.csv"), ["msisdn", "imei", "zip", "name"])
        self.assertEqual(got, [
            [b"0", b"00", b"0000", b"C"],
            [b"0049301234567", b"004401720000000", b"01067", b"A"],
            [b"030555000", b"000000000000001", b"00501", b"B"]])

    def test_05_unterminated_quote_names_where_it_began(self):
        done = self.records(case(5, "in.csv"), ["id", "text"], exit=4)
        for part in ("in.csv", "line 3", "15", "text", "never closed"):
            self.assertIn(part, done.err)

    def test_05_unterminated_quote_is_bounded(self):
        self.write("big.csv", b'id,text\n1,ok\n2,"' + b"x" * 3000000)
        done = self.records("big.csv", ["id", "text"], exit=4, limits="{rejects: 0, record: 1MiB}")
        self.assertIn("not closed within", done.err)

    def test_07_doubled_quotes_leave_backslashes_alone(self):
        got = self.records(case(7, "rfc.csv"), ["id", "path", "x"])
        self.assertEqual(got, [[b"1", b"C:\\dir\\", b"a"], [b"2", b'say "hi"', b"b"],
                               [b"3", b'back\\slash "q\\" end', b"c"]])

    def test_07_backslash_as_escape(self):
        got = self.records(case(7, "bs.csv"), ["id", "text", "x"],
                           csv="{header: true, escape: '\\', nulls: ['\\N']}")
        self.assertEqual(got, [[b"1", b'T"WO', b"a"], [b"2", b"back\\", b"b"], [b"3", b"un,quoted", b"c"],
                               [b"4", b"nnt", b"d"], [b"5", None, b"e"]])

    def test_07_wrong_dialect_is_a_clear_error(self):
        done = self.records(case(7, "bs.csv"), ["id", "text", "x"], exit=1)
        self.assertIn("line 2", done.err)
        self.assertIn("text-after-quote", [r["code"] for r in self.rejects()])

    def test_09_trailing_delimiter(self):
        rows = case(9, "rows.csv")
        done = self.records(rows, ["A", "B", "C"], exit=1)
        self.assertIn("3 fields", done.err + str(self.rejects()))
        self.assertEqual(self.rejects()[0]["code"], "trailing-delimiter")
        option = "{header: true, trailing_delimiter: true}"
        self.assertEqual(self.records(rows, ["A", "B", "C"], csv=option),
                         [[b"1", b"4", b"7"], [b"2", b"5", b"8"]])

    def test_09_trailing_delimiter_on_the_header(self):
        pipe = case(9, "both.psv")
        done = self.records(pipe, ["A", "B", "C"], csv='{header: true, delimiter: "|"}', exit=4)
        self.assertIn("column 4", done.err)
        self.assertEqual(self.records(pipe, ["A", "B", "C"],
                                      csv='{header: true, delimiter: "|", trailing_delimiter: true}'),
                         [[b"1", b"2", b"3"], [b"4", b"5", b"6"]])

    def test_09_trailing_delimiter_on_the_header_alone(self):
        path = case(9, "header.csv")
        done = self.records(path, ["a", "b", "c"], exit=4)
        self.assertIn("column 4", done.err)
        self.assertEqual(self.records(path, ["a", "b", "c"], csv="{header: true, trailing_delimiter: true}"),
                         [[b"1", b"2", b"3"]])

    def test_11_byte_order_marks(self):
        for name in ("in.csv", "second.csv"):
            with open(case(11, name), "rb") as file:
                self.write(name + ".gz", gzip.compress(file.read()))
        for files in ([case(11, "in.csv"), case(11, "second.csv")], ["in.csv.gz", "second.csv.gz"]):
            got = self.records(files, ["id", "name"])
            self.assertEqual(got, [[b"1", b"\xef\xbb\xbfx"], [b"2", b"y"]])
            self.saltmill("verify", "out")
            subprocess.run(["rm", "-r", self.path("out")], check=True)

    def test_11_a_mark_alone_is_an_empty_file(self):
        self.assertEqual(self.records(case(11, "bomonly.csv"), ["id", "name"]), [])
        self.assertTrue(Dataset(self.path("out")).manifest["empty"])

    def test_13_nul_bytes_are_data(self):
        got = self.records(case(13, "in.csv"), ["k", "v"])
        self.assertEqual([(k.hex(), v) for k, v in got],
                         [("00", b"4"), ("61620063", b"1"), ("61620064", b"2"), ("6c617374", b"5"),
                          ("7100227a", b"3")])

    def test_15_no_newline_at_the_end(self):
        for name, columns, want in (
                ("plain.csv", "ab", [[b"1", b"2"], [b"3", b"4"]]),
                ("quoted.csv", "ab", [[b"1", b"two"], [b"3", b"four"]]),
                ("empty.csv", "ab", [[b"1", b"2"], [b"3", None]])):
            with self.subTest(name):
                with open(case(15, name), "rb") as file:
                    header = file.readline().decode().strip().split(",")
                self.assertEqual(self.records(case(15, name), header), want)
                subprocess.run(["rm", "-r", self.path("out")], check=True)

    def test_15_one_column(self):
        with open(case(15, "one.csv"), "rb") as file:
            header = file.readline().decode().strip()
        self.assertEqual(self.records(case(15, "one.csv"), [header]), [[b"x"]])

    def test_15_joint_run_keeps_files_apart(self):
        names = ["plain.csv", "quoted.csv", "empty.csv", "x.csv"]
        self.records([case(15, n) for n in names], ["a", "b"])
        manifest = Dataset(self.path("out")).manifest
        self.assertEqual(manifest["counts"]["records_read"], 7)

    def test_17_long_fields(self):
        got = self.records(case(17, "in.csv"), ["id", "v"])
        self.assertEqual([len(v) for _, v in got], [5, 70000, 70000, 4])
        self.assertEqual(got[2][1], b'y,",\n' * 14000)

    def test_17_a_field_of_40_megabytes_is_one_reject(self):
        self.write("huge.csv", b"id,v\n1,a\n2," + b"z" * 40000000 + b"\n3,b\n")
        got = self.records("huge.csv", ["id", "v"], exit=3, limits="{rejects: 1}")
        self.assertEqual(got, [[b"1", b"a"], [b"3", b"b"]])
        reject, = self.rejects()
        self.assertEqual((reject["code"], reject["line"]), ("cell-too-large", 3))
        self.assertIn("40000000", reject["message"])

    def test_17_a_field_of_40_megabytes_loads_when_allowed(self):
        self.write("huge.csv", b"id,v\n1,a\n2," + b"z" * 40000000 + b"\n3,b\n")
        got = self.records("huge.csv", ["id", "v"], limits="{rejects: 0, cell: 64MiB}")
        self.assertEqual([len(v) for _, v in got], [1, 40000000, 1])

    def test_19_separators(self):
        for name, csv, columns, want in (
                ("ctrl-a.txt", r'{delimiter: "\x01", quote: none}', ["k", "a", "b"],
                 [[b"1", b"x", b"y"], [b"2", None, b'z|,"']]),
                ("ctrl-a.txt", r"{delimiter: '\x01', quote: none}", ["k", "a", "b"],
                 [[b"1", b"x", b"y"], [b"2", None, b'z|,"']]),
                ("ctrl-a.txt", r"{delimiter: '\001', quote: none}", ["k", "a", "b"],
                 [[b"1", b"x", b"y"], [b"2", None, b'z|,"']]),
                ("at.txt", '{delimiter: "@@@", quote: none}', ["k", "a", "b"],
                 [[b"1", b"x@y@@z", b"q"], [b"2", None, b"e"], [b"3", b"a", b"@b"]]),
                ("aaa.txt", '{delimiter: "aaa", header: false, columns: [k, a, b]}', ["k", "a", "b"],
                 [[b"1", b"x", b"y"], [b"2", None, b"z"], [b"3", b"b", b"ac"]]),
                ("euro.txt", '{delimiter: "\u20ac", header: false, columns: [k, a, b]}', ["k", "a", "b"],
                 [[b"1", "value\u2080tail".encode(), b"second"]])):
            with self.subTest(name + csv):
                self.assertEqual(self.records(case(19, name), columns, csv=csv), want)
                subprocess.run(["rm", "-r", self.path("out")], check=True)

    def test_20_gzip_with_several_members(self):
        want = [[b"1", b"one"], [b"2", b"two"], [b"3", b"three"]]
        with open(case(20, "multi.csv.gz"), "rb") as file:
            columns = gzip.decompress(file.read()).split(b"\n")[0].decode().split(",")
        for name in ("multi.csv.gz", "zeros.csv.gz"):
            with self.subTest(name):
                self.assertEqual(self.records(case(20, name), columns), want)
                subprocess.run(["rm", "-r", self.path("out")], check=True)
        for name, word in (("garbage.csv.gz", "offset"), ("crc.csv.gz", "checksum")):
            with self.subTest(name):
                done = self.records(case(20, name), columns, exit=4)
                self.assertIn(word, done.err)
                self.assertFalse(os.path.exists(self.path("out")))

    def test_22_truncated_compression(self):
        for name in ("half.csv.gz", "notrailer.csv.gz", "cut5.gz", "half.csv.zst", "cut4.csv.zst"):
            with self.subTest(name):
                path = case(22, name)
                done = self.records(path, ["id"], exit=4)
                self.assertIn(str(os.path.getsize(path)), done.err)
                self.assertFalse(os.path.exists(self.path("out")))

    def test_36_asterisk_call_records(self):
        columns = ("accountcode,src,dst,dcontext,clid,channel,dstchannel,lastapp,lastdata,start,answer,end,"
                   "duration,billsec,disposition,amaflags,uniqueid,userfield,peeraccount,linkedid,sequence")
        zone = "{type: time, format: '%Y-%m-%d %H:%M:%S', zone: Europe/Rome, min: 2024-01-01, max: 2024-02-01}"
        job = job_text(case(36, "Master.csv"), key='src + "_" + format_ts(start, "%Y%m%d%H%M%S", zone: "Europe/Rome")',
                       csv="{header: false, columns: [%s]}" % columns,
                       fields="{start: %s, answer: %s, duration: {type: int}, billsec: {type: int}}" % (zone, zone),
                       timestamp="start",
                       cells='{"f:clid": clid, "f:last": lastdata, "f:id": uniqueid, "f:n": int32be(duration), '
                             '"f:b": int32be(billsec), "f:answer": int64be(answer)}')
        dataset, _ = self.run_job(job)
        rows = {}
        for row, _, qualifier, ts, _, value in dataset.cells():
            rows.setdefault(row.split(b"_")[0], {"ts": ts})[qualifier.decode()] = value
        a, b, c = rows[b"+3900000001"], rows[b"0039000002"], rows[b"anonymous"]
        self.assertEqual([a["ts"], b["ts"], c["ts"]], [1706364444000, 1706368596000, 1706397501000])
        self.assertEqual(a["clid"], b'"Rossi, Anna "Nina"" <+3900000001>')
        self.assertEqual(b["clid"], b'"0039000002" <0039000002>')
        self.assertEqual(c["clid"], b'"" <>')
        self.assertEqual(c["last"], b"SIP/301&SIP/200@pbx,60,t")
        self.assertEqual([a["id"], c["id"]], [b"1706368044.0", b"mainsrv-1706401101.30"])
        self.assertEqual([int.from_bytes(r["n"], "big") for r in (a, b, c)], [27, 15, 23])
        self.assertEqual([int.from_bytes(r["b"], "big") for r in (a, b, c)], [27, 0, 0])
        self.assertNotIn("answer", b)
        self.assertNotIn("answer", c)


if __name__ == "__main__":
    sys.exit("run through tests/run_python.py")
