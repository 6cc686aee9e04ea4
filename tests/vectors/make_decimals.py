#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes decimals.tsv: decimal text and the IEEE 754 bits that Python's float() reads, in hexadecimal;
"infinite" where there is no finite value."""

import fractions
import math
import os
import random
import struct


def exact(value):
    """All decimal digits of a finite double or of a fraction that has finitely many."""
    digits, scale = value, 0
    while digits.denominator != 1:
        digits, scale = digits * 10, scale + 1
    return "%de-%d" % (digits.numerator, scale)


def halfway_texts(rng):
    """Right between two neighbouring doubles, and a hair's breadth beside."""
    for _ in range(40):
        low = struct.unpack(">d", struct.pack(">Q", rng.randrange(1 << 52, 0x7FE << 52)))[0]
        if not 1e-120 < low < 1e120:
            low = math.ldexp(rng.random(), rng.randrange(-200, 60))
        middle = (fractions.Fraction(low) + fractions.Fraction(math.nextafter(low, math.inf))) / 2
        text = exact(middle)
        digits, power = text.split("e-")
        yield text
        yield "%s1e-%d" % (digits, int(power) + 1)
        yield "%se-%d" % (int(digits) - 1, int(power))


def texts(rng):
    yield from ("0", "-0", "+0.0", "1", "1e22", "1e23", "123456789012345", "9007199254740993",
                "0.1", "0.3", "1e-22", "1e-23", "5e-324", "2.4703282292062327e-324",
                "2.4703282292062328e-324", "2.2250738585072011e-308", "1.7976931348623157e308",
                "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "-1e400", "1e-400",
                "0e999999999999999999999", "1e999999999999999999999", "1e-999999999999999999999",
                "0." + "0" * 400 + "1e401", "1" + "0" * 400 + "e-400", "8.5", "+5", "007.50")
    yield from halfway_texts(rng)
    for _ in range(300):
        yield repr(struct.unpack(">d", struct.pack(">Q", rng.getrandbits(63) % (0x7FF << 52)))[0])
    for _ in range(300):
        yield "%s%d.%de%d" % (rng.choice(("", "-", "+")), rng.randrange(10**rng.randrange(1, 20)),
                              rng.randrange(10**rng.randrange(1, 20)), rng.randrange(-40, 40))
    for _ in range(100):
        yield "%d.%d" % (rng.randrange(10**6), rng.randrange(10**4))


def main():
    rng = random.Random(20240612)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "decimals.tsv")
    with open(path, "w", encoding="ascii", newline="\n") as out:
        for text in texts(rng):
            value = float(text)
            bits = struct.pack(">d", value).hex() if math.isfinite(value) else "infinite"
            out.write("%s\t%s\n" % (text, bits))


if __name__ == "__main__":
    main()
