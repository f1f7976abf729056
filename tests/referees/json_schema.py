"""Validates JSON documents against a schema with jsonschema_rs.

Prints one JSON object per line and file: the faults, and their places. The exit status is 0 only if
there are none.
"""

import argparse
import json
import sys
from pathlib import Path

import jsonschema_rs


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schema", required=True, metavar="FILE")
    parser.add_argument("file", nargs="+")
    return parser.parse_args()


def main():
    asked = arguments()
    schema = json.loads(Path(asked.schema).read_bytes())
    validator = jsonschema_rs.validator_for(schema, validate_formats=True)
    sound = True
    for file in asked.file:
        errors = validator.iter_errors(json.loads(Path(file).read_bytes()))
        faults = [f"/{'/'.join(map(str, error.instance_path))}: {error.message}" for error in errors]
        sound = sound and not faults
        print(json.dumps({"file": file, "faults": faults}))
    sys.exit(0 if sound else 1)


main()
