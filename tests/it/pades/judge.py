"""Has the PAdES referee judge many files with one start of Python.

usage: judge.py REFEREE SECONDS [OPTION]... < FILES

Reads one path a line and prints one JSON object a line, in the same order: the
verdict of the referee, with "lenient" true where it reads the file only when
told not to be strict, or {"bounded": true} where it takes longer than SECONDS.
"""
import contextlib
import io
import json
import runpy
import signal
import sys


class Bounded(BaseException):
    """The referee took too long; no handler of exceptions takes this for one."""


def stop(_signal, _frame):
    raise Bounded


def judge(referee, options, path):
    output = io.StringIO()
    sys.argv = [referee, *options, path]
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        runpy.run_path(referee, run_name="__main__")
    return json.loads(output.getvalue())


def main():
    referee, seconds, *options = sys.argv[1:]
    signal.signal(signal.SIGALRM, stop)
    for path in sys.stdin.read().splitlines():
        # Again every second: what is raised in a finaliser is lost.
        signal.setitimer(signal.ITIMER_REAL, int(seconds), 1)
        try:
            verdict = judge(referee, options, path)
            unread = [signature for signature in verdict.get("signatures", []) if "error" in signature]
            if unread or "signatures" not in verdict:
                verdict = {**judge(referee, [*options, "--lenient"], path), "lenient": True}
        except Bounded:
            verdict = {"bounded": True}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps(verdict), flush=True)


main()
