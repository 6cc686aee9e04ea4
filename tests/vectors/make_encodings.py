#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes encodings.tsv: encoding, bytes, and either their text in UTF-8 or the offset of the first bytes that are no
character, as Python's codecs have it; all in hexadecimal.

Python's gb18030 is that of 2000, the C library's follows the standard of 2022: they differ in some twenty code
points, none of which is drawn here (characters are from blocks that never moved)."""

import os
import random
import sys

BLOCKS = ((0x20, 0x7E), (0xC0, 0x24F), (0x391, 0x3A9), (0x410, 0x44F), (0x3041, 0x3093), (0x3400, 0x4DB5),
          (0x4E00, 0x9FA5), (0xAC00, 0xD7A3), (0x1F600, 0x1F640), (0x20000, 0x2A6D6))
BAD = {"gb18030": (b"\x80", b"\xff", b"\xb0", b"\xb0\x20", b"\x81\x30", b"\x81\x30\x81", b"\x81\x30\x81\x20", b"\xb0\x7f"),
       "utf-8": (b"\x80", b"\xff", b"\xc0\xaf", b"\xe0\x9f\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe4\xb8", b"\xf0\x9f\x98")}


def rows():
    rng = random.Random(22)
    yield "latin1", bytes(range(256))
    yield "bytes", bytes(range(256))
    for encoding in ("utf-8", "gb18030"):
        for size in list(range(24)) + [100, 200]:
            text = "".join(chr(rng.randint(*rng.choice(BLOCKS))) for _ in range(size))
            yield encoding, text.encode(encoding)
        for bad in BAD[encoding]:
            for before in ("", "x", "eight678", "中", "x中文é"):
                for after in (b"", b" y"):
                    yield encoding, before.encode(encoding) + bad + after


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "encodings.tsv")
    with open(path, "w", encoding="ascii") as out:
        for encoding, data in rows():
            if encoding == "bytes":
                answer = "text\t" + data.hex()
            else:
                try:
                    answer = "text\t" + data.decode(encoding).encode("utf-8").hex()
                except UnicodeDecodeError as error:
                    answer = "bad\t%d" % error.start
            out.write("%s\t%s\t%s\n" % (encoding, data.hex(), answer))


if __name__ == "__main__":
    sys.exit(main())
