"""Runs samples as they stand, in one process; prints their outcomes as JSON."""

import contextlib
import io
import json
import os
import sys
import traceback

OWN = dict(os.environ)


def outcome(sample):
    os.chdir(sample["folder"])
    os.environ.clear()
    os.environ.update(OWN | sample["variables"])
    program = compile(sample["code"], sample["page"], "exec")
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(program, {"__name__": "__main__"})
    # A refused sample leaves by SystemExit, which is no Exception.
    except BaseException:
        return {"refused": printed.getvalue() + traceback.format_exc()}
    return {"printed": printed.getvalue()}


with open(sys.argv[1]) as file:
    samples = json.load(file)
print(json.dumps([outcome(sample) for sample in samples]))
