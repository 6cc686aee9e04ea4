#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of the fuzz targets: tests/fuzz/corpus/TARGET/seed-NAME.

usage: make_corpus.py --bin PATH

They come from the tests' cases and vectors, from Python's compressors, from tzdata, and from datasets
that PATH (saltmill) writes. Other files of the corpus are inputs that once broke a promise; they stay.
Layouts are those that the comments at the top of fuzz_TARGET.c draw."""

import argparse
import csv
import glob
import gzip
import hashlib
import json
import os
import shutil
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
TRAILER = 4096

HFILE_JOB = """input: {files: [in.csv], fields: {n: {type: int}}}
tables:
  - name: t
    key: k
    timestamp: 2021-09-12
    splits: ["m\\\\x00"]
    families: {f: {%s}}
    cells: {"f:v": v, "f:n": int32be(n)}
output: {directory: out}
"""
FAMILIES = {
    "none": "compression: NONE, bloom: NONE",
    "bloom": "compression: NONE, bloom: ROW, block_size: 64",
    "gz": "compression: GZ, bloom: ROW",
    "snappy": "compression: SNAPPY",
    "lz4": "compression: LZ4",
    "zstd": "compression: ZSTD, zstd_framing: hbase",
    "zstd-bare": "compression: ZSTD, zstd_framing: hadoop",
}
EXPRESSIONS = (
    'salt(300, caller) + pad(caller, 15) + rev_ts(start) + "_" + `odd name`',
    'left(xxh64(record), 4) + default(name, "x\\x00") + dec(duration, 12)',
    'substr(reverse(upper(trim(name))), 2, 3) + hex(md5(caller, name)) + u32(duration)',
    'format_ts(floor_ts(start, 15m, "Asia/Shanghai"), "%Y%m", zone: "UTC") + i64(start) + f64(cost)',
    'salt(64, caller, hash: java_floormod) + rev_ts_dec(start, s, 12) + concat(code, digits(caller))',
    'map(caller, {"138": "\\x01", \'a\': "\\xff\\x00"}, else: "b") + u64(row_number()) + base36(duration)',
    'duration', 'start', 'int64be(start) + float64be(cost) + text(cost) + field("odd name")',
)
KEYS = (
    ('salt(300, caller) + pad(caller, 15) + rev_ts(start) + `odd name`', b"048138            abcdefgh1"),
    ('code + "_" + name', b"0042_a_b"),
    ('name + caller + code', b"aaaaaaaaaaaaaaaaaaaaaaaa1"),
    ('hex(reverse(name)) + u32(duration) + f64(cost)', b"6162" + bytes(12)),
    ('format_ts(start, "%Y%m%d%H%M%S%f", zone: "Europe/Berlin") + default(caller, "-")', b"20211031023000000-"),
    ('pad(code, 8, fill: "0", side: left) + upper(trim(name)) + dec(duration, 9)', b"00000138A000000007"),
    ('map(name, {"a": "1", "b": "12"}) + base62(duration) + "-" + default(map(code, {"0": "x"}), "yy")', b"12zz-yy"),
    ('left(hex(md5(caller)), 4) + left(name, 2) + rev_ts_dec(start, ms, 19) + "\\x00"', b"abcdab" + b"9" * 19 + b"\0"),
)
CONDITIONS = (
    'duration > 0 and not (caller is null or name in ["a", "b"])',
    'start >= "2021-09-12" and start < "2021-09-13T00:00:00+08:00"',
    'starts_with(caller, "138") or contains(name, "\\xff") or ends_with(code, "2")',
    'cost != -1.5e3 and code not in ["0", "1"] and left(caller, 3) = "138"',
)
PLANNED_KEYS = (
    'salt(300, caller) + pad(caller, 15) + rev_ts(start) + code',
    'code + "-" + format_ts(start, "%Y%m", zone: "Europe/Berlin") + ts32(floor_ts(start, 1h)) + caller',
    'salt(7, code, hash: java_abs) + reverse(name) + "\x00" + u32(duration) + f64(cost)',
    'left(name, 2) + default(code, "0") + dec(duration, 12) + hex(i64(start)) + `odd name`',
)
PLANNED_TERMS = (
    'caller = "13800138000"', 'starts_with(name, "\xe5\xbc\xa0") and start >= "2021-09-01"',
    'code in ["0042", "0"] and start < "2021-10-31T03:00:00+01:00"', 'duration > 5 and ends_with(name, "x")',
)
RECORD = struct.pack(">BQqq", 0, 63767000000000, 569, 2560) + b"\x0413800138000\0\xe5\xbc\xa0 x\0odd"
TIMES = (
    (b"%Y-%m-%d %H:%M:%S", b"2021-09-12 04:12:25"), (b"rfc3339", b"2021-09-12T04:12:25.125+08:00"),
    (b"clf", b"10/Oct/2000:13:55:36 -0700"), (b"epoch_ms", b"1631419945000.5"),
    (b"epoch_ns", b"-1"), (b"%-d %B %y %-I:%M:%S.%f? %p %Z", b"1 september 69 2:30:59.9 PM UTC"),
    (b"%Y%j%H%M%S%z?", b"202125504122512"), (b"%e %b %Y %T %z", b" 7 Mar 2021 02:30:00 -0500"),
)
NUMBERS = ("0", "-0", "+5", "010", "1e22", "9007199254740993", "2.2250738585072011e-308", "5e-324",
           "1.7976931348623159e308", "-9223372036854775808", "64MiB", "10 MB", "0.5%", "100")
PATTERNS = ((b"calls-(?<day>\\d{8})", b"calls-20210912.csv"), (b"^END (?<count>[0-9]+)$", b"END 12"),
            (b"(a+)+$", b"aaaaaaaaaaaaaaaaaaaaaaaab"), (b"(?<x>a)?b\\x{ff}", b"ab\xff"))


def seed(target, name, data):
    folder = os.path.join(HERE, "corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "seed-" + name), "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def vectors(name):
    with open(os.path.join(TESTS, "vectors", name), encoding="utf-8", newline="") as file:
        return [line for line in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                if line and not line[0].startswith("#")]


def rules():
    """Rule files with their right fingerprints, and pairs of rules to be compared."""
    keys = [key for key in PLANNED_KEYS if key.isprintable()]
    blocks = []
    for i, key in enumerate(keys):
        more = "field.caller.type = text\nfield.start.format = %%s zone=UTC repeated=reject\ncsv.null = %d\n" % i
        digest = hashlib.sha256(("key = %s\n%s" % (key, more)).encode()).hexdigest()[:32]
        blocks.append("table t%d\nkey = %s\n%skey_fingerprint = %s\n" % (
            i % 2, key.replace(" + ", "\n    + "), more, digest))
        pair = [key, more, keys[i - 1], more.replace("UTC", "Asia/Tokyo").replace("caller", "callee")]
        seed("rules", "pair-%d" % i, b"\x01" + "\0".join(pair).encode())
    seed("rules", "file", b"\0" + ("saltmill rules 1\n# kept\n\n" + "\n".join(blocks)).encode())


def texts():
    for i, text in enumerate(EXPRESSIONS):
        use = 2 if text == "start" else 3 if text == "duration" else 1 if text.startswith("int64") else 0
        seed("expr", str(i), bytes([use]) + text.encode() + b"\0" + RECORD)
    for i, (rule, key) in enumerate(KEYS):
        seed("keydecode", str(i), bytes([i & 1]) + rule.encode() + b"\0" + RECORD + b"\0" + key)
    for i, text in enumerate(CONDITIONS):
        seed("condition", str(i), text.encode() + b"\0" + RECORD)
    for i, key in enumerate(PLANNED_KEYS):
        text = CONDITIONS[i % len(CONDITIONS)] + " and " + PLANNED_TERMS[i % len(PLANNED_TERMS)]
        seed("plan", str(i), key.encode() + b"\0" + text.encode() + b"\0\x40" + RECORD)
    for i, (pattern, text) in enumerate(TIMES):
        seed("time", str(i), bytes([i * 21 & 255]) + pattern + b"\0" + text)
    for i, text in enumerate(NUMBERS):
        seed("number", str(i), text.encode())
    for i, (pattern, text) in enumerate(PATTERNS):
        seed("pattern", str(i), pattern + b"\0" + text)
    for i, text in enumerate((b"abc", b"\\x00\\xFF\\x5C", b"\\x0a", b"a\\", b"\xff")):
        seed("escape", str(i), text)
    for i, (code, text) in enumerate(((0, b"\xff"), (1, "a张\U0001f600".encode()), (2, b"a\xe9"),
                                      (3, "a张\u20ac\U0001f600".encode("gb18030")))):
        seed("encoding", str(i), bytes([code]) + text)


def jobs():
    for name in ("run/two-tables", "run/feed", "ddl/families", "ddl/salts", "ddl/hex-string-split",
                 "ddl/list-with-escapes", "run/job-path-fields-without-group", "run/filtered"):
        for path in glob.glob(os.path.join(TESTS, "cli", name, "*.yaml")):
            seed("job", name.replace("/", "-"), read(path))
    demo = read(os.path.join(TESTS, "..", "examples", "demo", "cdr.yaml"))
    seed("job", "demo", demo)
    for name, text in (("flow", b"{a: [1, 'x', \"y\\n\"], b: ${date}, c: $${x}}"), ("empty", b""),
                       ("block", b"a: |\n  x\n  ${x}${date}\nb:\n  - &a c\n  - ${x\n"), ("demo", demo)):
        seed("yaml", name, text)
    shell = read(os.path.join(TESTS, "cli", "ddl", "get-splits", "splits.txt"))
    for name, text in (("shell", shell), ("lines", b"b\na\\x00\r\nc\n"), ("bad", b"a\n\nb"), ("empty", b"")):
        seed("splits", name, text)


def csv_files():
    rows = vectors("csv.tsv")
    dialects = ["comma", "tab", "pipe", "blank", "noquote", "escape", "aaa", "pipes"]
    for dialect in dialects:
        data = b"\n".join(bytes.fromhex(row[1]) for row in rows if row[0] == dialect and row[1] != "-")[:600]
        seed("csv", dialect, bytes([dialects.index(dialect), 3, 0]) + data)
    text = b'caller,name,code,start,duration\r\n1,"a ""b"", c",,0,5\n#x\n2,\\N,7,1,x\n\n3,"x\ny",1,2,3,4\n'
    for name, head, body in (
            ("plain", (8, 0, 5), text), ("latin", (0, 2, 1), text + b"\xe9,\n"), ("short", (0, 5, 9), text),
            ("gb", (0, 3, 7), text + "张,\u20ac\n".encode("gb18030")), ("trailer", (0, 24, 2), b"--\n" + text + b"T,4\n"),
            ("no-header", (16, 1, 3), b"\xef\xbb\xbf1,2,3,4,5\n3,4,5,x,7"), ("odd", (5, 1, 3), b"caller||name||code||start||duration\n1||\\|\\||1||0||1\n")):
        seed("source", name, bytes(head) + body)
    packed = gzip.compress(text, mtime=0)
    seed("source", "gz", bytes((0, 1, 4)) + packed)
    frame = subprocess.run(["zstd", "-q", "-c", "--check"], input=text, stdout=subprocess.PIPE, check=True).stdout
    seed("source", "zst", bytes((0, 1, 4)) + frame)
    blocks = subprocess.run(["zstd", "-q", "-c", "--check", "-19"], input=b"caller,name\n" * 30000, stdout=subprocess.PIPE, check=True).stdout
    skippable = b"\x50\x2a\x4d\x18\x02\0\0\0ab"
    for name, data in (("gz", packed), ("two-gz", packed + packed), ("padded-gz", packed + b"\0" * 9), ("plain", text),
                       ("cut-gz", packed[:-5]), ("zst", frame), ("two-zst", frame + skippable + frame), ("cut-zst", frame[:-3]), ("blocks-zst", blocks), ("damaged-zst", blocks[:-1] + b"?")):
        seed("decoder", name, b"\x07" + data)


def zones():
    for name in ("UTC", "Asia/Shanghai", "Africa/Casablanca", "Australia/Lord_Howe"):
        seed("zone", name.replace("/", "-"), read(os.path.join("/usr/share/zoneinfo", name)))
    for i, text in enumerate((b"EST5EDT,M3.2.0,M11.1.0", b"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", b"A3B,J60/-1,300/26")):
        seed("zone", "rule-%d" % i, text)


def codecs():
    plain = b"key and value, " * 20
    size = len(plain).to_bytes(3, "big")
    raw = subprocess.run(["zstd", "-q", "-c", "--no-check"], input=plain, stdout=subprocess.PIPE, check=True).stdout
    seed("codec", "none", b"\0" + size + plain)
    seed("codec", "gz", b"\1" + size + gzip.compress(plain, mtime=0))
    framed = struct.pack(">ii", len(plain), len(raw)) + raw
    seed("codec", "zstd", b"\4" + size + framed)
    seed("codec", "zstd-bare", b"\5" + size + raw)
    literal = b"\xac\x02" + bytes([61 << 2]) + struct.pack("<H", len(plain) - 1) + plain
    seed("codec", "snappy", b"\2" + size + struct.pack(">ii", len(plain), len(literal)) + literal)
    block = bytes([0xf0, 255, len(plain) - 15 - 255]) + plain
    seed("codec", "lz4", b"\3" + size + struct.pack(">ii", len(plain), len(block)) + block)


def leb(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def cells():
    entry = leb(0) + b"\0" + struct.pack("<q", 12345) + leb(2) + b"vw"
    full = leb(1) + b"\3" + struct.pack("<q", -1) + leb(300) + leb(3) + b"q\0r" + leb(0)
    seed("payload", "two", entry + full)
    row = lambda order, key, payload: struct.pack("<Q", order) + leb(len(key)) + leb(len(payload) * 2) + key + payload
    far = struct.pack("<Q", 9) + leb(1) + leb(5 * 2 + 1) + b"k" + struct.pack("<QQ", 0, 0)
    # The checksum of eight zero bytes is put right by the target.
    block = lambda kind, data: bytes(8) + struct.pack("<IIB", len(data), len(data), kind) + data
    piece = block(1, b"piece")
    rows = block(0, row(1, b"a", b"x") + row(2, b"a", b"") + far)
    seed("spill", "rows", b"\0" + piece + rows)
    seed("spill", "parts", bytes([len(piece) + len(rows)]) + piece + rows + block(0, row(3, b"b", entry)))


def fixed(value):
    """The same tree with each number 1: what a machine and a day put there is not for the tree."""
    if isinstance(value, dict):
        return {name: fixed(item) for name, item in value.items()}
    if isinstance(value, list):
        return [fixed(item) for item in value]
    return value if isinstance(value, str) else 1


def hfiles(program):
    folder = tempfile.mkdtemp(prefix="saltmill-corpus-")
    with open(os.path.join(folder, "in.csv"), "w", encoding="utf-8") as file:
        file.write("k,v,n\n" + "".join("k%03d,v%d,%d\n" % (i, i % 3, i) for i in range(6)) + "z,,1\n")
    for name, options in FAMILIES.items():
        with open(os.path.join(folder, "job.yaml"), "w", encoding="utf-8") as file:
            file.write(HFILE_JOB % options)
        shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
        subprocess.run([program, "run", "job.yaml", "--quiet", "--threads", "1"], cwd=folder, check=True)
        with open(os.path.join(folder, "out", "_manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        data = read(os.path.join(folder, "out", manifest["files"][0]["path"]))
        head = data[-TRAILER:-4].rstrip(b"\0")
        seed("hfile", name, b"\0" + data[-4:] + bytes([len(head)]) + head + data[:-TRAILER])
        if name == "none":
            manifest["environment"] = fixed(manifest["environment"])
            seed("manifest", "whole", json.dumps(manifest).encode())
    seed("manifest", "other", b'{"manifest_version": 1, "tables": [[]], "files": null}')
    shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="the program saltmill, for HFiles and manifests")
    program = os.path.abspath(parser.parse_args().bin)
    for path in glob.glob(os.path.join(HERE, "corpus", "*", "seed-*")):
        os.remove(path)
    for make in (texts, rules, jobs, csv_files, zones, codecs, cells):
        make()
    hfiles(program)


if __name__ == "__main__":
    main()
