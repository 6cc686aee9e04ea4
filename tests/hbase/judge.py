# SPDX-License-Identifier: Apache-2.0
"""The judge from Python: start and stop the real HBase, run commands against it or against single files.

    import judge
    judge.start()
    judge.run("create", "t", "--splits", "splits.txt", "--family", "f:ZSTD:ROW")
    judge.run("load", "out/t", "t")
    text = judge.run("scan", "t")
    judge.stop()

All commands go to one Java process, started at the first and ended at exit, so each costs milliseconds. File names
may not hold a tab. A command that fails raises JudgeError with its message and whatever it had printed.
"""

import atexit
import collections
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

Outcome = collections.namedtuple("Outcome", "status message output")


class JudgeError(Exception):
    """A command whose verdict is bad (status 1) or that was called wrongly (status 2)."""

    def __init__(self, argv, outcome):
        super().__init__("%s: status %d: %s" % (" ".join(argv), outcome.status, outcome.message))
        self.argv = argv
        self.outcome = outcome


def _script(name, *args):
    done = subprocess.run([os.path.join(HERE, name), *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def setup():
    """Fetches the jars and compiles the judge, unless that was done before."""
    status, text = _script("setup.sh")
    if status != 0:
        raise RuntimeError("tests/hbase/setup.sh failed:\n" + text)


def start():
    """Starts the server with an empty data folder; returns when it serves. Does nothing if it runs already."""
    setup()
    # A process that is older than the server's configuration wouldn't know its ports.
    close()
    status, text = _script("server.sh", "start")
    if status != 0:
        raise RuntimeError("tests/hbase/server.sh start failed:\n" + text)


def stop():
    """Ends the judge's process and the server. Never fails."""
    close()
    _script("server.sh", "stop")


def server_folder():
    """Where the server keeps its configuration, data and log."""
    return os.environ.get("SALTMILL_HBASE_DIR") or os.path.join(HERE, "..", "..", "build", "hbase")


def server_log():
    """What the server has written since it started: warnings and errors, wrong block checksums among them."""
    with open(os.path.join(server_folder(), "server.log"), encoding="utf-8", errors="replace") as file:
        return file.read()


class Session:
    """One Java process that reads commands, one a line, and answers each."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="saltmill-judge-")
        self._log_path = os.path.join(self._folder.name, "log")
        self._log = open(self._log_path, "wb")
        self._process = subprocess.Popen([os.path.join(HERE, "judge.sh"), "batch", "-"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=self._log, text=True, encoding="utf-8")

    def run(self, argv):
        """Runs one command and returns its Outcome, bad or good."""
        argv = [os.fspath(word) for word in argv]
        if any("\t" in word or "\n" in word or "\r" in word for word in argv):
            raise ValueError("a word of a judge command may not hold a tab or a line end: %r" % (argv,))
        output = os.path.join(self._folder.name, "output")
        try:
            self._process.stdin.write("\t".join([*argv, ">", output]) + "\n")
            self._process.stdin.flush()
            reply = self._process.stdout.readline()
        except BrokenPipeError:
            reply = ""
        if not reply:
            raise RuntimeError("the judge's process ended; its last words:\n" + self.log_tail())
        _, status, message = reply.rstrip("\n").split("\t", 2)
        with open(output, encoding="utf-8", newline="") as file:
            return Outcome(int(status), message, file.read())

    def log_tail(self, size=4000):
        """The end of what Java wrote to standard error."""
        with open(self._log_path, "rb") as file:
            return file.read()[-size:].decode("utf-8", "replace")

    def close(self):
        """Ends the process."""
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()
        self._folder.cleanup()


_session = None


def session():
    """The shared process, started when first needed."""
    global _session
    if _session is None:
        _session = Session()
        atexit.register(close)
    return _session


def close():
    """Ends the shared process, if there is one."""
    global _session
    if _session is not None:
        ending, _session = _session, None
        ending.close()


def outcome(*argv):
    """Runs one command; returns (status, message, output) without raising for a bad verdict."""
    return session().run(argv)


def run(*argv):
    """Runs one command and returns what it printed; raises JudgeError if its status isn't 0."""
    result = session().run(argv)
    if result.status != 0:
        raise JudgeError([str(word) for word in argv], result)
    return result.output


def batch(commands):
    """Runs a list of commands (each a list of words) in order; returns {position: output}. With a dictionary
    {name: words} the result has its names. Stops at the first that fails."""
    named = commands.items() if isinstance(commands, dict) else enumerate(commands)
    return {name: run(*argv) for name, argv in named}


def facts(text):
    """The 'name<tab>value' lines of load, scanhash and compact as a dictionary."""
    return dict(line.split("\t", 1) for line in text.splitlines())
