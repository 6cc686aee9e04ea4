#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes key_salt.tsv, key_hash.tsv, key_text.tsv, key_time.tsv, key_number.tsv, key_codes.tsv and key_cond.tsv: use, caller (hex),
start (ms), duration, cost (bits), expression, expected bytes (hex) or !reject.

Hashes are hashlib's, zlib's, mmh3's and xxhash's; Java's hashCode is written down here from the JDK's
documentation; numbers are struct's; times datetime's. Needs mmh3 and xxhash from PyPI."""

import datetime
import hashlib
import os
import random
import struct
import zlib
import zoneinfo

import mmh3
import xxhash

HERE = os.path.dirname(os.path.abspath(__file__))
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
LONG_MAX = 2**63 - 1
HASHES = {
    "murmur3": lambda b: struct.pack(">I", mmh3.hash(b, signed=False)),
    "xxh3": lambda b: xxhash.xxh3_64_digest(b),
    "xxh64": lambda b: xxhash.xxh64_digest(b),
    "crc32": lambda b: struct.pack(">I", zlib.crc32(b)),
    "md5": lambda b: hashlib.md5(b).digest(),
    "sha1": lambda b: hashlib.sha1(b).digest(),
    "sha256": lambda b: hashlib.sha256(b).digest(),
}


class Table:
    def __init__(self, name, seed):
        self.path = os.path.join(HERE, name)
        self.rows = []
        self.rng = random.Random(seed)

    def row(self, expression, expected, caller=b"13800138000", start=1631419945000, duration=569,
            cost=2.5, use="key"):
        result = expected if isinstance(expected, str) else expected.hex()
        bits = struct.unpack(">Q", struct.pack(">d", cost))[0]
        self.rows.append((use, caller.hex(), str(start), str(duration), "%016x" % bits, expression,
                          result))

    def write(self):
        with open(self.path, "w", encoding="ascii", newline="\n") as out:
            for row in self.rows:
                out.write("\t".join(row) + "\n")


def texts(rng):
    yield from (b"a", b"13800138000", "张三".encode(), "𝄞 clef".encode(), b"\x7f", b" ",
                b"polygenelubricants", "Ω≈ç√".encode(), b"x" * 300)
    for length in (1, 3, 8, 16, 33, 65, 129, 241):
        yield bytes(rng.randrange(0x20, 0x7f) for _ in range(length))


def i32(v):
    return (v + 2**31) % 2**32 - 2**31


def java_string(text):
    units = text.decode().encode("utf-16-be")
    h = 0
    for (unit,) in struct.iter_unpack(">H", units):
        h = i32(31 * h + unit)
    return h


def java_long(v):
    v %= 2**64
    return i32((v ^ (v >> 32)) % 2**32)


def java_bytes(data):
    h = 1
    for b in data:
        h = i32(31 * h + (b - 256 if b > 127 else b))
    return h


def java_rest(h, n):
    """Java's %, which takes the sign of its left side."""
    return abs(h) % n * (-1 if h < 0 else 1)


def java_salts(h, n):
    width = len(str(n - 1))
    absolute = h if h == -2**31 else abs(h)
    return {
        "java_floormod": "%0*d" % (width, h % n),
        "java_mask": "%0*d" % (width, (h & 0x7FFFFFFF) % n),
        "java_abs": "%0*d" % (width, java_rest(absolute, n)),
    }


def salt_table():
    t = Table("key_salt.tsv", 1)
    for caller in texts(t.rng):
        for n in (1, 10, 11, 300, 65536, 1000000000):
            for name, digest in HASHES.items():
                value = int.from_bytes(digest(caller), "big") % n
                expected = ("%0*d" % (len(str(n - 1)), value)).encode()
                named = ", hash: " + name if name != "murmur3" or n % 2 else ""
                t.row("salt(%d, caller%s)" % (n, named), expected, caller)
            for name, expected in java_salts(java_string(caller), n).items():
                t.row("salt(%d, caller, hash: %s)" % (n, name), expected.encode(), caller)
    numbers = [0, 1, -1, 569, 2**31 - 1, 2**31, -2**31, 2**32, 2**63 - 1, -2**63, 2147483648]
    numbers += [t.rng.randrange(-2**63, 2**63) for _ in range(20)]
    for number in numbers:
        for n in (10, 300, 7):
            for name, expected in java_salts(java_long(number), n).items():
                t.row("salt(%d, duration, hash: %s)" % (n, name), expected.encode(), duration=number)
                t.row("salt(%d, start, hash: %s)" % (n, name), expected.encode(), start=number)
                data = struct.pack(">q", number)
                t.row("salt(%d, int64be(duration), hash: %s)" % (n, name),
                      java_salts(java_bytes(data), n)[name].encode(), duration=number)
    two = HASHES["murmur3"](b"13800138000" + struct.pack(">I", 569))
    t.row("salt(300, caller, u32(duration))", b"%03d" % (int.from_bytes(two, "big") % 300))
    t.row("salt(300, caller, hash: java_mask)", "!not-utf-8", b"\xff\xfe")
    for caller in (b"a", b"13800138000", b"\0", b"\xff" * 9, b"\0\xff\x80\x7f"):
        for n in (1, 2, 20, 255, 256):
            for name, digest in HASHES.items():
                t.row("salt_byte(%d, caller, hash: %s)" % (n, name),
                      bytes([int.from_bytes(digest(caller), "big") % n]), caller)
    t.write()


def hash_table():
    t = Table("key_hash.tsv", 2)
    for caller in texts(t.rng):
        for name, digest in HASHES.items():
            t.row("%s(caller)" % name, digest(caller), caller)
            t.row("%s(caller, \"_\", u16(duration))" % name,
                  digest(caller + b"_" + struct.pack(">H", 569)), caller)
        t.row("java_hash(caller)", struct.pack(">i", java_string(caller)), caller)
        t.row("java_hash(caller + \"\\xff\")", struct.pack(">i", java_bytes(caller + b"\xff")), caller)
        t.row("left(hex(md5(caller)), 8) + \"_\" + caller",
              hashlib.md5(caller).hexdigest()[:8].encode() + b"_" + caller, caller)
    for number in (0, -1, 2**63 - 1, -2**63, 1631419945000):
        t.row("java_hash(duration)", struct.pack(">i", java_long(number)), duration=number)
    for cost in (2.5, 0.0, -0.0, -1e300):
        identity = b"".join(struct.pack(">I", len(part)) + part for part in (
            b"13800138000", b"02087654321", struct.pack(">q", 1631419945000), struct.pack(">q", 569),
            struct.pack(">d", cost + 0.0)))
        t.row("xxh64(record)", xxhash.xxh64_digest(identity), cost=cost)
        t.row("record", identity, cost=cost)
        t.row("caller + left(xxh64(record), 4)", b"13800138000" + xxhash.xxh64_digest(identity)[:4],
              cost=cost)
    t.write()


def text_rows(t, caller):
    text = caller.decode()
    for n in (1, 2, 3, 5, 300):
        t.row("left(caller, %d)" % n, text[:n].encode(), caller)
        t.row("right(caller, %d)" % n, text[-n:].encode(), caller)
        if len(text) > n:
            t.row("substr(caller, %d)" % (n + 1), text[n:].encode(), caller)
            t.row("substr(caller, %d, 2)" % (n + 1), text[n:n + 2].encode(), caller)
        t.row("left(caller + \"\\xff\", %d)" % n, (caller + b"\xff")[:n], caller)
        t.row("right(caller + \"\\xff\", %d)" % n, (caller + b"\xff")[-n:], caller)
    t.row("reverse(caller)", text[::-1].encode(), caller)
    t.row("reverse(md5(caller))", hashlib.md5(caller).digest()[::-1], caller)
    t.row("reverse(left(caller, 4)) + caller", text[:4][::-1].encode() + caller, caller)
    t.row("hex(caller)", caller.hex().encode(), caller)
    t.row("upper(caller)", caller.upper(), caller)
    t.row("lower(caller)", caller.lower(), caller)
    digits = bytes(b for b in caller if 0x30 <= b <= 0x39)
    t.row("digits(caller)", digits or "!empty-key-part", caller)
    t.row("\"x\" + trim(caller)", b"x" + caller.strip() if caller.strip() else "!empty-key-part", caller)
    for width in (1, 15, len(caller), 400):
        fits = len(caller) <= width
        t.row("pad(caller, %d)" % width, caller.ljust(width) if fits else "!wider-than-pad", caller)
        t.row("pad(caller, %d, \"0\", left)" % width,
              caller.rjust(width, b"0") if fits else "!wider-than-pad", caller)
        t.row("pad(caller, %d, fill: '\\x00')" % width,
              caller.ljust(width, b"\0") if fits else "!wider-than-pad", caller)


def text_table():
    t = Table("key_text.tsv", 3)
    for caller in texts(t.rng):
        text_rows(t, caller)
    bad = (b"\xff", b"a\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"abcdefgh\xe5\xbc", b"\x80")
    for caller in bad:
        for call in ("left(caller, 2)", "right(caller, 2)", "substr(caller, 2)", "reverse(caller)"):
            t.row(call, "!not-utf-8", caller)
        t.row("caller", caller, caller)
    t.row("text(duration)", b"569", use="cell")
    for number in (0, -1, 2**63 - 1, -2**63):
        t.row("text(duration)", str(number).encode(), duration=number)
    for caller in (b"", b"\0", b"\xff", b"\0\xff", b"138", b"\xff" * 40):
        t.row("concat(\"<\", caller, callee, '\\xff')",
              b"<" + caller + b"02087654321\xff" if caller else "!empty-key-part", caller)
        t.row("default(caller, '\\xff\\x00') + \"_\"", (caller or b"\xff\0") + b"_", caller)
        t.row("default(caller, \"none\")", caller, caller, use="cell")
    t.write()


def condition_table():
    t = Table("key_cond.tsv", 7)
    words = [b"", b"\0", b"\xff", b"\xff\xff", b"a", b"ab", b"ba", b"a\0", b"\0a", b"abcab", "张三".encode(), b"\xe5"]
    for text in words + [bytes(t.rng.choice(b"ab\0\xff") for _ in range(12)) for _ in range(20)]:
        for what in words:
            spelt = "".join("\\x%02x" % byte for byte in what)
            for call, holds in (("starts_with", text.startswith(what)), ("ends_with", text.endswith(what)),
                                ("contains", what in text)):
                t.row("%s(caller, '%s')" % (call, spelt), bytes([holds]), text, use="condition")
    t.write()


def printed(ms, zone, pattern):
    return (EPOCH + datetime.timedelta(milliseconds=ms)).astimezone(zone).strftime(pattern).encode()


def floor_local(ms, step, zone):
    """The latest instant not behind ms whose wall clock shows the floor; tried minute by minute."""
    at = EPOCH + datetime.timedelta(milliseconds=ms)
    local = at.astimezone(zone).replace(tzinfo=None)
    naive = datetime.datetime(1970, 1, 1)
    wall = naive + datetime.timedelta(
        milliseconds=(local - naive) // datetime.timedelta(milliseconds=1) // step * step)
    found = None
    for fold in (0, 1):
        instant = wall.replace(tzinfo=zone, fold=fold).astimezone(datetime.timezone.utc)
        if instant.astimezone(zone).replace(tzinfo=None) == wall and instant <= at:
            found = instant if found is None else max(found, instant)
    return None if found is None else (found - EPOCH) // datetime.timedelta(milliseconds=1)


def time_table():
    t = Table("key_time.tsv", 4)
    starts = [0, 1, 999, 1000, 1631419945000, LONG_MAX, LONG_MAX - 1, 4294967295999, 4294967296000]
    starts += [t.rng.randrange(0, 4 * 10**12) for _ in range(40)]
    for start in starts:
        t.row("ts(start)", struct.pack(">q", start), start=start)
        t.row("rev_ts(start)", struct.pack(">q", LONG_MAX - start), start=start)
        t.row("rev_ts_dec(start)", b"%019d" % (LONG_MAX - start), start=start)
        for unit, ms in (("ms", 1), ("s", 1000), ("m", 60000), ("h", 3600000), ("d", 86400000)):
            for width in (5, 10, 13, 19):
                rest = 10**width - 1 - start // ms
                t.row("rev_ts_dec(start, %s, %d)" % (unit, width),
                      b"%0*d" % (width, rest) if rest >= 0 else "!number-out-of-range", start=start)
        t.row("ts32(start)", struct.pack(">I", start // 1000) if start // 1000 < 2**32
              else "!number-out-of-range", start=start)
        for step, ms in (("1h", 3600000), ("15m", 900000), ("1d", 86400000), ("500ms", 500)):
            t.row("ts(floor_ts(start, %s))" % step, struct.pack(">q", start // ms * ms), start=start)
    for start in (-1, -1000, -2**63):
        for call in ("ts(start)", "rev_ts(start)", "ts32(start)", "rev_ts_dec(start)",
                     "rev_ts_dec(start, s, 10)"):
            t.row(call, "!negative-time", start=start)
    t.row("i64(floor_ts(start, 1h))", struct.pack(">Q", -3600000 + 2**63), start=-1)
    for name in ("Asia/Shanghai", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"):
        zone = zoneinfo.ZoneInfo(name)
        around = [1636264800000 + d * 1200000 for d in range(-6, 6)]  # New York, 7 November 2021
        around += [1617465600000 + d * 1200000 for d in range(-6, 6)]  # Lord Howe, April 2021
        for start in around + [t.rng.randrange(0, 4 * 10**12) for _ in range(8)]:
            for pattern in ("%Y%m", "%d%H%M%S", "%Y-%m-%dT%H:%M:%S%z"):
                t.row("format_ts(start, \"%s\", zone: \"%s\")" % (pattern, name),
                      printed(start, zone, pattern), start=start)
            for step, ms in (("1h", 3600000), ("1d", 86400000), ("15m", 900000)):
                floored = floor_local(start, ms, zone)
                if floored is not None:
                    t.row("ts(floor_ts(start, %s, zone: \"%s\"))" % (step, name),
                          struct.pack(">q", floored), start=start)
    t.row("format_ts(start, \"%Y%m%d\")", b"20210912")
    t.row("format_ts(start, \"%Y\")", "!time-out-of-range", start=LONG_MAX)
    t.write()


def number_table():
    t = Table("key_number.tsv", 5)
    edges = [0, 1, -1, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -2**31, -2**31 - 1,
             2**32 - 1, 2**32, 2**53, 2**53 + 1, -2**53, 2**63 - 1, -2**63]
    edges += [t.rng.randrange(-2**k, 2**k) for k in range(1, 64)]
    for v in edges:
        for call, low, high, size in (("u8", 0, 2**8 - 1, 1), ("u16", 0, 2**16 - 1, 2),
                                      ("u32", 0, 2**32 - 1, 4), ("u64", 0, 2**63 - 1, 8)):
            t.row(call + "(duration)", v.to_bytes(size, "big") if low <= v <= high
                  else "!number-out-of-range", duration=v)
        fits = -2**31 <= v < 2**31
        t.row("i32(duration)", (v + 2**31).to_bytes(4, "big") if fits else "!number-out-of-range",
              duration=v)
        t.row("int32be(duration)", struct.pack(">i", v) if fits else "!number-out-of-range",
              duration=v, use="cell")
        t.row("i64(duration)", (v + 2**63).to_bytes(8, "big"), duration=v)
        t.row("int64be(duration)", struct.pack(">q", v), duration=v, use="cell")
        t.row("int64be(start)", struct.pack(">q", v), start=v, use="cell")
        t.row("float64be(duration)", struct.pack(">d", v) if abs(v) <= 2**53
              else "!number-out-of-range", duration=v, use="cell")
        for width in (1, 5, 19, 20):
            ok = v >= 0 and len(str(v)) <= width
            t.row("dec(duration, %d)" % width, b"%0*d" % (width, v) if ok
                  else "!number-out-of-range", duration=v)
    for cost in (0.0, -0.0, 1.5, -1.5, 5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308,
                 float("inf"), float("-inf")):
        bits = struct.unpack(">Q", struct.pack(">d", cost + 0.0))[0]
        flipped = bits ^ (2**64 - 1 if bits >> 63 else 2**63)
        t.row("f64(cost)", struct.pack(">Q", flipped), cost=cost)
        t.row("float64be(cost)", struct.pack(">d", cost), cost=cost, use="cell")
    t.row("f64(cost)", "!not-a-number", cost=float("nan"))
    t.write()


def identity(caller, callee, start, duration, cost):
    """The record of the tests: caller, callee, start, duration, cost."""
    parts = [caller, callee, struct.pack(">q", start), struct.pack(">q", duration), struct.pack(">d", cost)]
    return b"".join(struct.pack(">I", len(p)) + p for p in parts)


def in_base(number, digits, width, most=0):
    text = ""
    while number:
        number, rest = divmod(number, len(digits))
        text = digits[rest] + text
    return "!number-out-of-range" if len(text) > (most or width) else text.rjust(width, "0").encode()


def picked_rows(t):
    for _ in range(40):
        about = {"caller": b"138%08d" % t.rng.randrange(10**8), "start": t.rng.randrange(10**13),
                 "duration": t.rng.randrange(-5, 4000), "cost": t.rng.randrange(400) / 8}
        record = mmh3.hash(identity(callee=b"02087654321", **about), 0, signed=False)
        by = mmh3.hash(about["caller"], 0, signed=False)
        t.row("random(300)", b"%03d" % (record % 300), **about)
        t.row("random(1)", b"0", **about)
        t.row("random(1000000000)", b"%09d" % (record % 10**9), **about)
        t.row('pick(["a-", "b-", "c-", "dd"])', [b"a-", b"b-", b"c-", b"dd"][record % 4], **about)
        t.row('pick(["a", "b", "c"], by: caller)', [b"a", b"b", b"c"][by % 3], **about)


def mapped_rows(t):
    codes = {b"CN": b"\x01", b"US": b"\x02", b"": b"\x03", b"\0\xff": b"\0", b"\xff": b"\xff\xff", b"138": b"same", b"139": b"same"}
    spelt = ", ".join("'%s': '%s'" % tuple("".join("\\x%02x" % byte for byte in text) for text in pair)
                      for pair in codes.items())
    for caller in (b"CN", b"US", b"\0\xff", b"\xff", b"138", b"139", b"cn", b"C", b"CN ", b"\0", b"\xff\xff", b"x" * 100):
        t.row("map(caller, {%s})" % spelt, codes.get(caller, "!no-map-entry"), caller)
        t.row("map(caller, {%s}, else: '?')" % spelt, codes.get(caller, b"?"), caller)
        t.row("default(map(caller, {%s}), '??')" % spelt, codes.get(caller, b"??"), caller)
        t.row("default(hex(map(caller, {%s})), 'none') + '-'" % spelt,
              codes[caller].hex().encode() + b"-" if caller in codes else b"none-", caller)
        t.row("map(caller, {%s})" % spelt, codes.get(caller, "!no-map-entry"), caller, use="cell")
        t.row("default(map(caller, {%s}), '??')" % spelt, codes.get(caller, b"??"), caller, use="cell")
    t.row("map(caller, {%s})" % spelt, b"\x03", b"", use="cell")
    t.row("map(caller, {%s})" % spelt, "!empty-key-part", b"")


def code_table():
    t = Table("key_codes.tsv", 6)
    upper = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    lower = "0123456789abcdefghijklmnopqrstuvwxyz"
    picked_rows(t)
    for digits in (b"1", b"01", b"13800138000", b"000", b"9" * 12):
        t.row("bcd(caller, 6)", bytes.fromhex(digits.decode() + "f" * (12 - len(digits))), caller=digits)
    t.row("bcd(caller, 6)", "!wider-than-pad", caller=b"1" * 13)
    t.row("bcd(caller, 6)", "!outside-charset", caller=b"12a")
    for raw in (b"00", b"ff", b"FFaB09", b"7f00"):
        t.row("unhex(caller)", bytes.fromhex(raw.decode()), caller=raw)
    t.row("unhex(caller)", "!outside-charset", caller=b"abc")
    t.row("unhex(caller)", "!outside-charset", caller=b"0g")
    for number in (0, 1, 35, 36, 61, 62, 1295, 1296, 46655, 46656, 2**31, 2**63 - 1):
        t.row("base36(duration, 13)", in_base(number, lower, 13), duration=number)
        t.row("base62(duration, 11)", in_base(number, upper, 11), duration=number)
        t.row("base36(duration)", in_base(number, lower, 1, 13), duration=number)
        t.row("base62(duration)", in_base(number, upper, 1, 11), duration=number)
        t.row("base36(duration, 3)", in_base(number, lower, 3), duration=number)
    for number in (-1, -2**63):
        t.row("base62(duration)", "!number-out-of-range", duration=number)
        t.row("base36(duration)", "!number-out-of-range", duration=number)
    t.row("base62(duration, 4)", "!number-out-of-range", duration=-1)
    for a in (-9, 0, 7, 569, 2**62):
        t.row("i64(least(duration, 7, 100))", struct.pack(">Q", min(a, 7) + 2**63), duration=a)
        t.row("i64(greatest(duration, 7))", struct.pack(">Q", max(a, 7) + 2**63), duration=a)
    for text in (b"0", b"03", b"1", b"a"):
        t.row("least(caller, callee)", min(text, b"02087654321"), caller=text)
        t.row("greatest(caller, callee)", max(text, b"02087654321"), caller=text)
    mapped_rows(t)
    for offset in (0, 4, 255, 256, 2**32, 2**44 - 1):  # of file 5, as the unit test places these records
        t.row("u64(row_number())", struct.pack(">Q", 5 << 44 | offset), start=offset)
        t.row("dec(row_number(), 19)", b"%019d" % (5 << 44 | offset), start=offset)
    t.write()


if __name__ == "__main__":
    salt_table()
    hash_table()
    text_table()
    time_table()
    number_table()
    code_table()
    condition_table()
