# SPDX-License-Identifier: Apache-2.0
"""Random jobs over the key language, random questions: what `scan` returns is what a filter over the records
returns. The filter is Python's; each record carries an id in a cell, and ids are what is compared."""

import json
import os
import random
import subprocess

from golden.harness import JobTest, SALTMILL, SANITIZER

JOBS = int(os.environ.get("SALTMILL_PROPERTY_JOBS", "20" if SANITIZER else "200"))
QUESTIONS = 50
RECORDS = 60
FIRST_MS = 1600000000000

FIELDS = """
    caller: {type: text, charset: digits}
    user:   {type: text, charset: ascii}
    name:   {type: text}
    n:      {type: int}
    m:      {type: int}
    d:      {type: decimal}
    t:      {type: time, format: epoch_ms, min: 1990-01-01, max: 2100-01-01}
    id:     {type: int}
"""
CELLS = {"caller": "caller", "user": "user", "name": "name", "n": "int64be(n)", "m": "int64be(m)",
         "d": "float64be(d)", "t": "int64be(t)"}

# Parts of a key. Those with a second element need nothing; all take any record made below.
PARTS = [
    "salt(7, caller)", "salt(20, user, hash: md5)", "salt(12, caller, hash: java_abs)", "salt(3, name, user)",
    "salt_byte(5, caller)", "random(4)", 'pick(["a-", "b-", "c-"])', 'pick(["x", "yy"], by: user)',
    "caller", "user", "name", "pad(caller, 16)", 'pad(user, 12, fill: "_", side: left)', "pad(name, 40)",
    "left(caller, 3)", "right(caller, 4)", "substr(user, 1, 2)", 'default(substr(user, 2, 2), "~")', "reverse(caller)",
    "reverse(name)", "upper(user)", "lower(user)", 'default(trim(user), "-")', "hex(user)",
    "left(hex(md5(caller)), 4)", "md5(user)", "left(xxh64(name), 3)", "crc32(caller)", "murmur3(caller, user)",
    "java_hash(user)", "bcd(caller, 8)", "dec(m, 6)", "u32(m)", "u64(m)", "i32(n)", "i64(n)", "f64(d)", "f64(n)", "base36(m, 6)", "base62(m, 5)",
    "dec(least(m, 500), 4)", "i64(greatest(n, m))",
    "ts(t)", "ts32(t)", "rev_ts(t)", "rev_ts_dec(t)", "rev_ts_dec(t, unit: s, width: 10)", "i64(t)",
    "ts32(floor_ts(t, 1h))", 'ts(floor_ts(t, 1d, zone: "Asia/Shanghai"))', 'format_ts(t, "%Y%m")',
    'format_ts(t, "%Y-%m-%d")', 'format_ts(t, "%d%H", zone: "Europe/Berlin")', 'format_ts(t, "%Y%m%d%H%M%S")',
    "int64be(n)", "left(xxh64(record), 4)",
]
LITERALS = ['"_"', '"-"', '"\\x00"', '"|"', '"\\xFF"']


def random_key(chance):
    parts = []
    for part in chance.sample(PARTS, chance.randint(1, 4)):
        parts.append(part)
        if chance.random() < 0.5:
            parts.append(chance.choice(LITERALS))
    if chance.random() < 0.05:
        return "md5(%s)" % " + ".join(parts + ["dec(id, 6)"])
    return " + ".join(parts + ["dec(id, 6)"])


def random_record(chance, number):
    text = "".join(chance.choice("abAB_- |z") for _ in range(chance.randint(1, 6))).strip() or "a"
    edge = chance.random() < 0.1
    return {
        "caller": "".join(chance.choice("0138") for _ in range(chance.randint(4, 8))),
        "user": chance.choice(["ab", "a", "b", "abc", text]),
        "name": chance.choice(["x", "xy", "张三", "x_y", "é", text]),
        "n": chance.choice([-2 ** 31, 2 ** 31 - 1, -1, 0]) if edge else chance.randint(-50, 50),
        "m": chance.choice([0, 999999]) if edge else chance.randint(0, 300),
        "d": chance.choice([-1e30, 0.0, 1e-30, 1.5]) if edge else chance.randint(-40, 40) / 4,
        "t": FIRST_MS + chance.choice([0, 1, 999, 3600000, chance.randint(0, 90) * 86400000,
                                       chance.randint(0, 90 * 86400000)]),
        "id": number,
    }


def text_literal(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def iso(value):
    import datetime
    at = datetime.datetime.fromtimestamp(value / 1000, datetime.timezone.utc)
    return '"%s.%03dZ"' % (at.strftime("%Y-%m-%dT%H:%M:%S"), value % 1000)


def spelled(field, value):
    if field in ("caller", "user", "name"):
        return text_literal(value)
    if field == "t":
        return iso(value)
    return repr(value)


def compared(value):
    return value.encode() if isinstance(value, str) else value


SIGNS = {"=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
         ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


def random_term(chance, records):
    """(text, predicate)"""
    value_of = chance.choice(records)
    field = chance.choice(["caller", "caller", "user", "user", "name", "n", "m", "d", "t", "t", "t"])
    value = value_of[field]
    kind = chance.random()
    if isinstance(value, str) and kind < 0.25:
        prefix = value[:chance.randint(1, len(value))]
        return "starts_with(%s, %s)" % (field, text_literal(prefix)), lambda r: r[field].startswith(prefix)
    if isinstance(value, str) and kind < 0.35:
        suffix = value[chance.randint(0, len(value) - 1):]
        return "ends_with(%s, %s)" % (field, text_literal(suffix)), lambda r: r[field].endswith(suffix)
    if kind < 0.5 and field != "d":
        several = [chance.choice(records)[field] for _ in range(chance.randint(1, 4))]
        return "%s in [%s]" % (field, ", ".join(spelled(field, v) for v in several)), lambda r: r[field] in several
    if field == "t" and chance.random() < 0.6:
        low = value - chance.choice([0, 1, 1000, 86400000])
        high = low + chance.choice([1, 1000, 3600000, 86400000, 20 * 86400000])
        return "t >= %s and t < %s" % (iso(low), iso(high)), lambda r: low <= r["t"] < high
    sign = chance.choice(["=", "=", "=", "<", "<=", ">", ">=", "!="])
    return "%s %s %s" % (field, sign, spelled(field, value)), \
        lambda r: SIGNS[sign](compared(r[field]), compared(value))


def random_question(chance, records):
    terms = [random_term(chance, records) for _ in range(chance.randint(1, 3))]
    if chance.random() < 0.1 and len(terms) > 1:
        text = " or ".join("(%s)" % t for t, _ in terms)
        return text, lambda r: any(p(r) for _, p in terms)
    return " and ".join(t for t, _ in terms), lambda r: all(p(r) for _, p in terms)


class ScanProperty(JobTest):
    def make(self, chance, key):
        records = [random_record(chance, n) for n in range(RECORDS)]
        lines = [",".join(records[0])] + [",".join(str(v) for v in r.values()) for r in records]
        self.write("in.csv", "\n".join(lines) + "\n")
        cells = ", ".join('"f:%s": %s' % item for item in CELLS.items())
        self.write("job.yaml", "seed: 5\ninput:\n  files: [in.csv]\n  identity: [id]\n  fields:%stables:\n"
                   "  - name: t\n    key: '%s'\n    timestamp: 1000\n    families: {f: {}, i: {}}\n"
                   "    splits: {uniform: 4}\n    cells: {%s, \"i:id\": \"dec(id, 6)\"}\n"
                   "output: {directory: out}\n" % (FIELDS, key.replace("'", "''"), cells))
        self.saltmill("run", "job.yaml", "--replace", "--new-rule", "--threads", "1")
        return records

    def ask(self, text):
        done = subprocess.run([SALTMILL, "scan", "job.yaml", "--full", "--where", text, "--json"], cwd=self.folder,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return sorted(int(json.loads(line)["fields"]["id"]) for line in done.stdout.splitlines())

    def test_scans_return_what_a_filter_returns(self):
        asked = 0
        for job in range(JOBS):
            chance = random.Random(job)
            key = random_key(chance)
            records = self.make(chance, key)
            for _ in range(QUESTIONS):
                text, predicate = random_question(chance, records)
                wanted = sorted(r["id"] for r in records if predicate(r))
                self.assertEqual(self.ask(text), wanted, "job %d, key %s, where %s" % (job, key, text))
                asked += 1
        self.assertEqual(asked, JOBS * QUESTIONS)
