# SPDX-License-Identifier: Apache-2.0
"""What the golden tests share: running saltmill in a folder of its own, reading a dataset back with the
independent reader of tests/oracle, checking its account, comparing trees. Nothing here asks saltmill
what is right."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ.get("SALTMILL_ROOT") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
SALTMILL = os.environ.get("SALTMILL") or os.path.join(ROOT, "build", "dev", "saltmill")
ORACLE = os.path.join(ROOT, "tests", "oracle")
CASES = os.path.join(ROOT, "tests", "cases")
sys.path.insert(0, ORACLE)
sys.path.insert(0, os.path.join(ROOT, "tests", "gen"))

import accounting  # noqa: E402
import hfile_check  # noqa: E402

SANITIZER = os.environ.get("SALTMILL_SANITIZER", "")


class Options:
    """What hfile_check reads from its command line."""
    strict = True
    sample_bloom = 0
    max_cells = 0


def file_cells(path):
    """Cells of one HFile as (row, family, qualifier, timestamp, type, value), in stored order."""
    cells = []
    reader = hfile_check.HFile(path, Options())
    reader.run(lambda c: cells.append((c.row, c.fam, c.qual, c.ts, hfile_check.TYPES[c.type], c.val)))
    return cells


def tree(folder):
    """{relative path: SHA-256} of every file; the manifest without its environment."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            with open(path, "rb") as file:
                data = file.read()
            if name == "_manifest.json":
                manifest = json.loads(data)
                manifest.pop("environment")
                data = json.dumps(manifest, sort_keys=True).encode()
            found[os.path.relpath(path, folder)] = hashlib.sha256(data).hexdigest()
    return found


class Dataset:
    def __init__(self, path):
        self.path = path
        with open(os.path.join(path, "_manifest.json"), encoding="utf-8") as file:
            self.manifest = json.load(file)

    def files(self, table=None, family=None):
        return [f for f in self.manifest["files"]
                if table in (None, f["table"]) and family in (None, f["family"])]

    def cells(self, table=None, family=None):
        """In region order, then in file order: for one family that is HBase's order of the table."""
        cells = []
        for entry in self.files(table, family):
            cells += file_cells(os.path.join(self.path, entry["path"]))
        return cells

    def rows(self, table=None, family=None):
        """Row keys in order, each once."""
        keys = []
        for cell in self.cells(table, family):
            if not keys or keys[-1] != cell[0]:
                keys.append(cell[0])
        return keys


class JobTest(unittest.TestCase):
    """A test with a scratch folder; the folder is kept with SALTMILL_KEEP=1."""

    maxDiff = 4000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="saltmill-test-")
        if not os.environ.get("SALTMILL_KEEP"):
            self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def saltmill(self, *arguments, exit=0, stdin=None, env=None, limits=None, prefix=()):
        """Runs it and checks its exit status; gives the finished process with text output."""
        def set_limits():
            import resource
            for what, value in (limits or {}).items():
                resource.setrlimit(getattr(resource, what), (value, value))
        done = subprocess.run(list(prefix) + [SALTMILL] + [str(a) for a in arguments], cwd=self.folder,
                              input=stdin, capture_output=True, env=dict(os.environ, **(env or {})),
                              preexec_fn=set_limits if limits else None, timeout=900)
        done.out = done.stdout.decode("utf-8", "replace")
        done.err = done.stderr.decode("utf-8", "replace")
        if exit is not None and done.returncode != exit:
            self.fail("exit %d instead of %s of: saltmill %s\n%s\n%s" % (
                done.returncode, exit, " ".join(str(a) for a in arguments), done.out[-3000:],
                done.err[-3000:]))
        return done

    def account(self, output="out"):
        """DESIGN's accounting, checked by a program of its own."""
        folder = self.path(output)
        with open(os.path.join(folder, "_manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        judge = accounting.Judge(folder, manifest, folder + ".rejects")
        judge.records()
        judge.tables()
        judge.files()
        judge.reject_files()
        self.assertEqual([], judge.problems)

    def run_job(self, job, *options, exit=0, output="out", **named):
        """Writes the job, runs it, checks account and verify; gives (Dataset or None, process)."""
        name = job if job.endswith(".yaml") else self.write("job.yaml", job)
        done = self.saltmill("run", name, "--output", output, *options, exit=exit, **named)
        if done.returncode not in (0, 3):
            self.assertFalse(os.path.exists(self.path(output, "_manifest.json")) and
                             not named.get("published"), "a failed run published something")
            return None, done
        self.account(output)
        self.saltmill("verify", output)
        return Dataset(self.path(output)), done

    def rejects(self, output="out"):
        """Entries of all sidecars, in file order."""
        entries = []
        folder = self.path(output + ".rejects")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if name.endswith(".jsonl"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    entries += [json.loads(line) for line in file]
        return entries


def job_text(files, key="k", cells='{"f:v": v}', timestamp="1000", csv="{header: true}", fields="{}",
             splits=None, families="{f: {}}", more_input="", more_table="", limits="{rejects: 0}", table="t"):
    """A small job; every argument is YAML text."""
    return "\n".join([
        "input:",
        "  files: %s" % json.dumps(files if isinstance(files, list) else [files]),
        "  csv: %s" % csv,
        "  fields: %s" % fields,
        more_input and "  " + more_input,
        "tables:",
        "  - name: %s" % table,
        "    key: '%s'" % key.replace("'", "''"),
        "    timestamp: %s" % timestamp,
        "    families: %s" % families,
        "    cells: %s" % cells,
        "    splits: %s" % splits if splits else "",
        more_table and "    " + more_table,
        "limits: %s" % limits,
        ""])
