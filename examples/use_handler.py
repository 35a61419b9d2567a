#!/usr/bin/env python3
"""Runs a verified handler from Python, with `protosmith run --stdio`: use_handler.py <handler digest> <request.json>

This program answers the handler's tool calls with functions of your own agent that have the names of the tools.
"""
import json
import os
import subprocess
import sys

CATALOGUE = {"P1": {"productId": "P1", "productName": "Kettle", "productDescription": "Enamelled.", "price": 39.5, "currency": "EUR"}}
TOOLS = {"lookupProduct": lambda given: CATALOGUE.get(given.get("productId"))}


def run(process, digest, request):
    def say(line):
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()

    say({"id": 1, "digest": digest, "request": request})
    for text in process.stdout:
        line = json.loads(text)
        if "end" in line:
            return line
        try:
            say({"id": line["id"], "call": line["call"], "output": TOOLS[line["tool"]](line["input"])})
        except Exception as error:  # the handler decides how to answer a failure
            say({"id": line["id"], "call": line["call"], "error": {"code": "FAILED", "message": str(error)}})


command = os.environ.get("PROTOSMITH", "protosmith").split() + ["run", "--stdio", "--tenant", os.environ.get("PROTOSMITH_TENANT", "default")]
with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as host:
    with open(sys.argv[2], encoding="utf-8") as file:
        print(json.dumps(run(host, sys.argv[1], json.load(file)), ensure_ascii=False))
    host.stdin.close()
