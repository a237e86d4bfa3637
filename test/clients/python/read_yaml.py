"""Reads documents of YAML with PyYAML: from standard input one JSON text a line, to standard output one line of JSON each."""

import json
import sys

import yaml

for line in sys.stdin:
    print(json.dumps(yaml.safe_load(json.loads(line))))
