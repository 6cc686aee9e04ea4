# SPDX-License-Identifier: Apache-2.0
"""The salt bytes of tests/vectors/key_phoenix.tsv are what Phoenix's own class answers. Needs no server."""

import os
import subprocess
import unittest

ROOT = os.environ.get("SALTMILL_ROOT") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


class Phoenix(unittest.TestCase):
    def test_the_vectors_are_its_own(self):
        script = os.path.join(ROOT, "tests", "hbase", "phoenix", "vectors.sh")
        done = subprocess.run([script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-4000:])
        with open(os.path.join(ROOT, "tests", "vectors", "key_phoenix.tsv"), "rb") as file:
            self.assertEqual(done.stdout, file.read())
