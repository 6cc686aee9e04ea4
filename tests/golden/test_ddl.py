# SPDX-License-Identifier: Apache-2.0
"""What the HBase shell makes of the statements of `ddl`: the split keys that stand in the manifest.

The shell's create gives each text in SPLITS to Bytes.toBytesBinary, as Java text; both readers are written down here.
JRuby 9.3 was seen to turn every byte of a string that is no UTF-8 into U+FFFD on that way (so "\\x7F\\xFF" in double
quotes becomes 7F FD), and two bytes that are UTF-8 into one character: no byte over 0x7F may come out of Ruby."""

import json
import random
import unittest

from golden.harness import JobTest

HEX = "0123456789ABCDEF"
RUBY_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "e": 27, "f": 12, "s": 32, "v": 11}


def ruby_double_quoted(text, at):
    """The bytes of the Ruby string whose opening quote stands at `at`, and where it ends. Of Ruby's escapes those are
    read that could be meant; others, and the start of an interpolation, are errors."""
    data = bytearray()
    at += 1
    while text[at] != '"':
        char = text[at]
        if char == "#" and text[at + 1] in "{$@":
            raise ValueError("interpolation at %d" % at)
        if char != "\\":
            data += char.encode()
            at += 1
            continue
        char = text[at + 1]
        at += 2
        if char == "x":
            digits = ""
            while len(digits) < 2 and text[at] in HEX + HEX.lower():
                digits += text[at]
                at += 1
            data.append(int(digits, 16))
        elif char in '"\\#':
            data += char.encode()
        elif char in RUBY_ESCAPES:
            data.append(RUBY_ESCAPES[char])
        else:
            raise ValueError("escape \\%s" % char)
    return bytes(data), at + 1


def to_bytes_binary(text):
    """Bytes.toBytesBinary: \\xHH with digits 0-9 A-F; a backslash before anything else is dropped."""
    data = bytearray()
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
            if text[at:at + 1] == "x" and len(text) > at + 2 and text[at + 1] in HEX and text[at + 2] in HEX:
                data.append(int(text[at + 1:at + 3], 16))
                at += 3
            continue
        data.append(ord(text[at]) & 255)
        at += 1
    return bytes(data)


def shell_splits(statement):
    """The split keys that create makes of `SPLITS => ["...", "..."]`, the statement's last argument."""
    at = statement.rindex("SPLITS => [") + len("SPLITS => ")
    keys = []
    while statement[at] in "[,":
        at += 1
        while statement[at] == " ":
            at += 1
        ruby, at = ruby_double_quoted(statement, at)
        if max(ruby) > 0x7F:
            raise ValueError("%r does not survive the way from Ruby to Java" % ruby)
        keys.append(to_bytes_binary(ruby.decode("ascii")))
    if statement[at:] != "]":
        raise ValueError("text after the splits: %r" % statement[at:])
    return keys


def escape(data):
    """Bytes.toStringBinary."""
    return "".join(chr(b) if 32 <= b < 127 and b != 92 else "\\x%02X" % b for b in data)


class Ddl(JobTest):
    def splits(self, keys):
        """Rule 25: (what the shell makes of `ddl`, what the manifest says) for a job with these split keys."""
        texts = [escape(key) for key in sorted(keys)]
        texts = ["\\x20" + text[1:] if text[0] == " " else text for text in texts]
        texts = [text[:-1] + "\\x20" if text[-1] == " " else text for text in texts]
        self.write("in.csv", "k,v\na,b\n")
        job = self.write("job.yaml", """
input: {files: [in.csv]}
tables: [{name: t, key: k, splits: %s, timestamp: 1000, families: {f: {}}, cells: {"f:v": v}}]
""" % json.dumps(texts))
        dataset, _ = self.run_job(job, "--replace")
        statement, = self.saltmill("ddl", "job.yaml", "--output", "out").out.splitlines()
        return shell_splits(statement), [to_bytes_binary(s) for s in dataset.manifest["tables"][0]["splits"]]

    def check(self, keys):
        self.assertEqual(self.splits(keys), (sorted(keys), sorted(keys)))

    # Rule 25.
    def test_every_byte(self):
        self.check([bytes([byte]) for byte in range(256)])

    # Rule 25: what Ruby and toBytesBinary would each read for themselves.
    def test_texts_that_look_like_something(self):
        self.check([b"#{1 + 1}", b"#$0", b"#@a", b'say "no"', b"\\", b"\\x41", b"\\\\x41", b"\\n", b"it's", b" a",
                    b"b ", b" ", b"  ", b"caf\xc3\xa9", b"\x7f\xff", b"\xff\xff", b"a\x00b", b"x4141", b"\xe2\x82\xac",
                    b"\t\r\n"])

    # Rule 25.
    def test_random_keys(self):
        source = random.Random(25)
        alphabet = bytes(range(256)) + b"\\\\\\\\\\\\##\"\"xx{} 0aF" * 4
        self.check({bytes(source.choice(alphabet) for _ in range(source.randrange(1, 12))) for _ in range(300)})

    # Rule 25: cut i = floor(i * 300 / 7).
    def test_salts(self):
        self.write("in.csv", "k,v\na,b\n")
        job = """
input: {files: [in.csv]}
tables:
  - name: t
    key: salt(300, k) + k
    splits: {salt: 300, regions: 7}
    timestamp: 1000
    families: {f: {}}
    cells: {"f:v": v}
"""
        dataset, _ = self.run_job(job)
        want = [b"%03d" % (i * 300 // 7) for i in range(1, 7)]
        self.assertEqual(shell_splits(self.saltmill("ddl", "job.yaml", "--output", "out").out.rstrip("\n")), want)
        self.assertEqual([to_bytes_binary(s) for s in dataset.manifest["tables"][0]["splits"]], want)

    def test_the_readers_of_this_file(self):
        self.assertEqual(ruby_double_quoted(r'"a\x5C\\\x1g\""!', 0), (b'a\\\\\x01g"', 15))
        self.assertRaises(ValueError, ruby_double_quoted, '"#{x}"', 0)
        self.assertEqual(to_bytes_binary(r"\x41\x0a\\x"), b"Ax0ax")
        self.assertRaises(ValueError, shell_splits, r'create, SPLITS => ["\x80"]')


if __name__ == "__main__":
    unittest.main()
