# SPDX-License-Identifier: Apache-2.0
"""The key schemes of examples/schemes: every row key worked out here, from hashlib, struct, mmh3 and xxhash alone,
and every question of queries.txt answered here from the CSV."""

import csv
import datetime
import hashlib
import os
import re
import shutil
import struct
import zoneinfo

import mmh3
import xxhash

from golden.harness import JobTest, ROOT, Dataset

SCHEMES = os.path.join(ROOT, "examples", "schemes")
LONG_MAX = 2 ** 63 - 1
SHANGHAI = zoneinfo.ZoneInfo("Asia/Shanghai")
UTC = datetime.timezone.utc


def md5(text):
    return hashlib.md5(text.encode()).digest()


def salt(n, text):
    return b"%0*d" % (len(str(n - 1)), mmh3.hash(text.encode(), 0, signed=False) % n)


def ms(text, zone):
    at = datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=zone)
    return int(at.timestamp()) * 1000


def u64(number):
    return struct.pack(">Q", number)


def identity(*fields):
    """Each field's length, then its decoded bytes; numbers and times take 8 bytes."""
    parts = [f.encode() if isinstance(f, str) else struct.pack(">q", f) for f in fields]
    return b"".join(struct.pack(">I", len(p)) + p for p in parts)


def bcd(digits, width):
    return bytes.fromhex(digits + "f" * (2 * width - len(digits)))


def call_tail(r):
    return xxhash.xxh64(identity(r["caller"], r["callee"], ms(r["start"], SHANGHAI), int(r["duration"]))).digest()[:4]


def month(r):
    return r["start"][:7].replace("-", "").encode()


def order_key(r):
    return md5(r["order"]).hex()[:4].encode() + r["order"].encode()


def region_of(key):
    """Where the key's region begins. The cuts are written out: multiples of (0xffff - 0) / 4, rounded down."""
    return max(start for start in (b"0000", b"3fff", b"7ffe", b"bffd") if start <= key)


def pick(r):
    return [b"a-", b"b-", b"c-", b"d-"][mmh3.hash(identity(r["user"], int(r["serial"])), 7, signed=False) % 4]


def ids(scheme, field):
    """{name: id} as a first run gives them: in byte order, from 1 on."""
    with open(os.path.join(SCHEMES, scheme, "records.csv"), encoding="utf-8", newline="") as file:
        names = sorted({r[field].encode() for r in csv.DictReader(file)})
    return {name.decode(): i + 1 for i, name in enumerate(names)}


METRICS, HOSTS = ids("metric", "metric"), ids("metric", "host")


# {scheme: {table: key of a record}}
KEYS = {
    "general": {"orders": lambda r: b"%s_%s_%019d_%s" % (
        md5(r["shop"]).hex()[:4].encode(), r["shop"].encode(), LONG_MAX - ms(r["created"], UTC),
        r["order"].encode())},
    "time-series": {"readings": lambda r: salt(16, r["device"]) + r["device"].ljust(15).encode()
                    + u64(LONG_MAX - ms(r["at"], UTC))},
    "business-flow": {"flows": lambda r: b"%s_%s_%010d_%s" % (
        md5(r["user"]).hex()[:8].encode(), r["user"].encode(), int(r["serial"]),
        re.sub(r"\D", "", r["at"]).encode())},
    "device": {"devices": lambda r: md5(r["device"])[:4] + bcd(r["device"], 8) + u64(ms(r["at"], UTC))},
    "calls-by-month": {"calls": lambda r: salt(300, r["caller"]) + b"_" + r["caller"].encode() + b"_" + month(r)},
    "two-views": {
        "by_caller": lambda r: salt(300, r["caller"]) + r["caller"].ljust(15).encode()
        + u64(LONG_MAX - ms(r["start"], SHANGHAI)) + r["callee"].encode() + call_tail(r),
        "by_callee": lambda r: salt(300, r["callee"]) + r["callee"].ljust(15).encode()
        + u64(LONG_MAX - ms(r["start"], SHANGHAI)) + r["caller"].encode() + call_tail(r)},
    "secondary-index": {
        "orders": order_key,
        "orders_by_time": lambda r: salt(8, r["order"]) + u64(ms(r["created"], UTC)) + order_key(r)},
    "colocated-index": {
        "orders": order_key,
        "orders_by_time": lambda r: region_of(order_key(r)) + u64(ms(r["created"], UTC)) + order_key(r)},
    "random-salt": {"events": lambda r: pick(r) + r["user"].encode() + b"-" + u64(int(r["serial"]))},
    "reversed-phone": {"calls": lambda r: b"%s_%019d%s" % (
        r["caller"][::-1].encode(), LONG_MAX - ms(r["start"], SHANGHAI), r["callee"].encode())},
    "metric": {"metrics": lambda r: METRICS[r["metric"]].to_bytes(3, "big") + HOSTS[r["host"]].to_bytes(3, "big")
               + struct.pack(">I", ms(r["at"], UTC) // 3600000 * 3600)},
    "md5-whole": {"orders": lambda r: md5(r["shop"] + r["order"])},
    "md5-per-part": {"orders": lambda r: md5(r["shop"]) + md5(r["order"])},
}

# Entries that share a table: {scheme: {view: (table, family)}}
SHARED = {"colocated-index": {"orders": ("orders", "f"), "orders_by_time": ("orders", "i")}}

TIME_FIELDS = {"created": UTC, "at": UTC, "start": SHANGHAI}
NUMBERS = ("duration", "serial", "amount")


def instant(text, zone):
    at = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return int((at if at.tzinfo else at.replace(tzinfo=zone)).timestamp() * 1000)


def meets(record, term):
    """One NAME=VALUE of queries.txt, read anew here."""
    name, sign, value = re.fullmatch(r"(\w+)(=|<|>=|>)(.*)", term).groups()
    if name in ("from", "to"):
        field, zone = next((f, z) for f, z in TIME_FIELDS.items() if f in record)
        found, value, sign = ms(record[field], zone), instant(value, zone), ">=" if name == "from" else "<"
    elif name in NUMBERS:
        found, value = int(record[name]), int(value)
    else:
        found = record[name]
    return {"=": found == value, "<": found < value, ">=": found >= value, ">": found > value}[sign]


def unescape(text):
    return re.sub(rb"\\x([0-9A-F]{2})", lambda m: bytes([int(m.group(1), 16)]), text)


class Schemes(JobTest):
    def enter(self, name):
        shutil.copytree(os.path.join(SCHEMES, name), self.folder, dirs_exist_ok=True)
        with open(self.path("records.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def check_keys(self, name):
        records = self.enter(name)
        for threads in (1, 2, 7):
            self.saltmill("run", "job.yaml", "--threads", threads, "--replace")
        self.account()
        dataset = Dataset(self.path("out"))
        for table, key in KEYS[name].items():
            place = SHARED.get(name, {}).get(table, (table, None))
            self.assertEqual(dataset.rows(*place), sorted({key(r) for r in records}), table)
        return records

    def check_queries(self, name, records):
        with open(self.path("queries.txt"), encoding="utf-8") as file:
            queries = [line.split() for line in file]
        for words in queries:
            table = words[1] if words[0] == "--table" else next(iter(KEYS[name]))
            terms = [w for w in words if "=" in w or "<" in w or ">" in w]
            wanted = {KEYS[name][table](r) for r in records if all(meets(r, t) for t in terms)}
            for order in ([], ["--newest"]):
                done = self.saltmill("scan", "job.yaml", *words, *order)
                rows = {unescape(line.split(b"\t")[0]) for line in done.stdout.splitlines()}
                self.assertEqual(rows, wanted, " ".join(words + order))


def add_scheme(name):
    def test(self):
        self.check_queries(name, self.check_keys(name))
    setattr(Schemes, "test_" + name.replace("-", "_"), test)


for scheme in KEYS:
    add_scheme(scheme)
