#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the reference pages in docs/ from the tables that the program is compiled from.

usage: make_reference.py [--check] [--root DIRECTORY]

  docs/functions.md     partitioner/key_functions.def
  docs/options.md       cli/commands.def, cli/options.def
  docs/exit-status.md   core/errors.def
  docs/rejects.md       core/rejects.def
  docs/findings.md      job/check_findings.def

--check writes nothing and fails when a page differs from what would be written."""

import argparse
import os
import re
import sys

TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([(),])|([^\s(),"]+)')

FUNCTION_FAMILIES = {
    "salt": "Salts", "hash": "Hashes and identity", "text": "Text", "time": "Times", "number": "Numbers",
    "cond": "Tests", "code": "Short codes", "uid": "Dictionaries", "tsdb": "OpenTSDB",
    "region": "Regions"}
SORTS = {"SAME": "alike", "REVERSED": "reversed", "NONE": "-"}
READ_BACK = {"EXACT": "whole", "PART": "in part", "NONE": "no"}
CONSTANTS = {"#int": "whole number", "#text": "quoted text", "#duration": "duration, such as `1h`",
             "#list": "list of quoted texts",
             "#map": "pairs of quoted texts, `{\"a\": \"b\"}`"}
EXITS = {
    0: "everything was written", 1: "failed", 2: "command line or job file",
    4: "an input is missing, unreadable, truncated or changed while it was read",
    5: "output, disk or memory", 6: "refused: something else is there",
    130: "interrupted: 130 by SIGINT, 143 by SIGTERM"}

FUNCTIONS_HEAD = """# Functions of the expression language

Expressions build keys, cells, timestamps and conditions; [guide.md](guide.md) shows them at work.

    salt(300, caller) + pad(caller, 15, fill: "0", side: left) + rev_ts(start) + "_" + callee

A name is a field of the input; one that is no plain word stands in backquotes (`` `call type` ``). Texts stand in double
or single quotes, with `\\n`, `\\t`, `\\xHH` and `\\\\` inside. `+` joins from left to right. An argument may be given by
its name (`hash: md5`); those with a default may be left out. An int, decimal or time has no bytes of its own: it needs a
function that says which.

Conditions (`where`, `when`): `=` `!=` `<` `<=` `>` `>=`, `in ["a", "b"]`, `not in`, `is null`, `is not null`, `and`, `or`,
`not`, parentheses, and the tests below. A comparison with null is false. Text compares by unsigned bytes.

In the tables below, arguments in brackets may be left out; behind the colon stands their default. **Sorts** says whether
results sort like the first argument, **read back** whether a reader of the key gets the argument out of it.
"""

OPTIONS_HEAD = """# Commands and options

    saltmill COMMAND ARGUMENTS [OPTIONS]

An option wins over the job file, and the job file over the default; nothing is taken from the environment. `--name=VALUE`
and `--name VALUE` are the same; behind `--` all words are arguments. Data and reports go to standard output, messages to
standard error.
"""

EXIT_HEAD = """# Exit status

| status | meaning |
|---|---|
"""

REJECTS_HEAD = """# Reasons for rejected records

A rejected record is kept in its original bytes beside the dataset, in `OUTPUT.rejects/`, with a line of JSON for each that
names file, line, byte offset, field, code and message. `limits.rejects` says how many are tolerated (default none). The
codes below are stable; scripts may rely on them.

| code | reason |
|---|---|
"""

FINDINGS_HEAD = """# Findings of check

`saltmill check` judges a job's keys on its input; [guide.md](guide.md) shows a report. An *error* loses rows or would make
a run fail; a *warning* makes a table slow or lopsided, or loses rows with other data; a *note* is a cost that may be
intended. `--fail-on` says from which severity on the exit status is 1. The codes are stable; scripts may rely on them.
No finding makes `run` fail.

| code | severity | what it means | remedy |
|---|---|---|---|
"""


def unquote(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), text)


def rows(root, path, macro):
    """Argument lists of every MACRO(...) in a .def file; texts without their quotes, neighbours joined."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        source = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    found = []
    for start in re.finditer(r"\b%s\(" % macro, source):
        arguments, part, depth = [], None, 1
        for token in TOKEN.finditer(source, start.end()):
            text, sign, word = token.groups()
            if sign == "(":
                depth += 1
            elif sign == ")":
                depth -= 1
            if sign in (",", ")") and depth <= 1:
                arguments.append(part)
                part = None
                if depth == 0:
                    break
            else:
                part = (part or "") + (unquote(text) if text is not None else word or sign)
        found.append(arguments)
    if not found:
        sys.exit("make_reference.py: %s has no row %s(...)" % (path, macro))
    return found


def cell(text):
    return text.replace("|", "\\|")


def page_table(head, lines):
    return head + "".join("| %s |\n" % " | ".join(line) for line in lines)


# ---- functions ------------------------------------------------------------------------------------------

def split_outside_quotes(text, mark):
    return [part.strip() for part in re.findall(r'(?:"[^"]*"|[^"%s])+' % mark, text)]


def parameter(text):
    """`name types [= default]` as (name, types, default or None, optional, repeated)."""
    left, _, default = text.partition(" = ")
    name, types = left.split(" ", 1)
    optional, repeated = types.endswith("?"), types.endswith("...")
    return name, types.rstrip("?").removesuffix("..."), default or None, optional, repeated


def call(name, signature):
    if signature == "bare":
        return name
    parts = []
    for text in split_outside_quotes(signature, ","):
        title, _, default, optional, repeated = parameter(text)
        shown = title + "..." if repeated else title
        parts.append("[%s: %s]" % (title, default) if default else "[%s]" % title if optional else shown)
    return "%s(%s)" % (name, ", ".join(parts))


def takes(signature):
    if signature == "bare":
        return ""
    parts = []
    for text in split_outside_quotes(signature, ","):
        title, types, _, _, _ = parameter(text)
        if types in CONSTANTS:
            kind = CONSTANTS[types]
        elif types.startswith("#"):
            kind = ", ".join("`%s`" % word for word in types[1:].split("|"))
        else:
            words = [word for word in types.split("|") if word != "null"]
            kind = " or ".join("any type" if word == "any" else word for word in words)
            kind += ", also null" if "null" in types.split("|") else ""
        parts.append("%s: %s" % (title, kind))
    return "; ".join(parts)


def functions_page(root):
    text = FUNCTIONS_HEAD
    last = None
    for name, family, _, order, inverse, signature, doc in rows(root, "partitioner/key_functions.def",
                                                                "SM_KEYFN"):
        if family != last:
            text += "\n## %s\n\n| function | makes | takes | sorts | read back |\n|---|---|---|---|---|\n" % \
                FUNCTION_FAMILIES[family]
            last = family
        text += "| `%s` | %s | %s | %s | %s |\n" % (call(name, signature), cell(doc), takes(signature),
                                                   SORTS[order], READ_BACK[inverse])
    return text


# ---- the other pages ------------------------------------------------------------------------------------

def options_page(root):
    commands = rows(root, "cli/commands.def", "SM_COMMAND")
    options = rows(root, "cli/options.def", "SM_OPTION")
    text = OPTIONS_HEAD
    for _, name, arguments, sentence in commands:
        text += "\n## saltmill %s %s\n\n%s.\n\n| option | |\n|---|---|\n" % (
            name, arguments, sentence[0].upper() + sentence[1:])
        for _, option, argument, takers, sentence in options:
            if name in takers.split():
                shown = "--" + option + ("" if argument == "NULL" else " " + argument)
                text += "| `%s` | %s |\n" % (cell(shown), cell(sentence))
    text += "\n## Without a command\n\n| option | |\n|---|---|\n| `--help` | the list of commands |\n"
    for _, option, argument, takers, sentence in options:
        if not takers:
            text += "| `--%s` | %s |\n" % (option, cell(sentence))
    return text


def exit_page(root):
    errors = rows(root, "core/errors.def", "SM_ERROR")
    reasons = {}
    for _, _, status, sentence in errors:
        reasons.setdefault(int(status), []).append(sentence)
    if set(reasons) != set(EXITS):
        sys.exit("make_reference.py: core/errors.def has exit statuses %s, but the page explains %s" % (
            sorted(reasons), sorted(EXITS)))
    lines = []
    for status in sorted(reasons):
        meaning = EXITS[status]
        if reasons[status] != [meaning] and status != 130:
            meaning += ": " + "; ".join(reasons[status]) if status != 6 else ""
        shown = "130, 143" if status == 130 else str(status)
        lines.append((shown, cell(meaning)))
        if status == 1:
            lines.append(("3", "everything was written but some rejected records, within `limits.rejects`"))
    lines.sort(key=lambda line: int(line[0].split(",")[0]))
    tail = "\nAnything but 0 and 3 leaves the output as it was before the run. Rejected records are kept also when the run " \
        "failed.\n"
    return page_table(EXIT_HEAD, lines) + tail


def rejects_page(root):
    return page_table(REJECTS_HEAD, [("`%s`" % code, cell(sentence)) for name, code, sentence in
                                     rows(root, "core/rejects.def", "SM_REJECT") if name != "NONE"])


def findings_page(root):
    return page_table(FINDINGS_HEAD, [("`%s`" % code, severity.lower(), cell(sentence), cell(remedy)) for
                                      _, code, severity, sentence, remedy in
                                      rows(root, "job/check_findings.def", "SM_FINDING")])


PAGES = {"docs/functions.md": functions_page, "docs/options.md": options_page,
         "docs/exit-status.md": exit_page, "docs/rejects.md": rejects_page,
         "docs/findings.md": findings_page}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), ".."))
    options = parser.parse_args()
    stale = 0
    for path, make in PAGES.items():
        text = make(options.root)
        target = os.path.join(options.root, path)
        if options.check:
            old = ""
            if os.path.exists(target):
                with open(target, encoding="utf-8") as file:
                    old = file.read()
            if old != text:
                stale += 1
                print("%s: differs from its table; run tools/make_reference.py" % path)
        else:
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
