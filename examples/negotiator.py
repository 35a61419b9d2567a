#!/usr/bin/env python3
"""A negotiator that needs only a Redis client. It submits one job, reads its outcome and prints what to do with it.

    negotiator.py [--redis URL] [--prefix PREFIX] [--kind KIND] [--group GROUP] [--wait SECONDS] job.json

It adds jobs to the intake stream with XADD and reads outcomes through a consumer group of the outcome stream. It
acknowledges an entry only after handling it, so that a crash loses none. Prints one JSON object per outcome. Exits
with 0, with 2 if the outcome is an error, with 65 if the file contains no job, and with 69 if no outcome came in time
or Redis does not answer.

Works with redis-py 4 and later (Debian: python3-redis).
"""

import argparse
import decimal
import hashlib
import json
import os
import socket
import sys
import time

import redis

# What to do next, by kind of job and verdict. `forward` = send the messages of the outcome to the peer unchanged.
NEXT = {
    ("generate", "generated"): "forward, then wait for the peer's codeGeneration; if it offers cases: review, accept, verify",
    ("generate", "disputed"): "forward, or send a proposal if the text must change; after a new agreement: generate with supersedes",
    ("review", "clean"): "send your own acceptance, then generate",
    ("review", "disputed"): "send a proposal as the next round, then review the reply",
    ("verify", "clean"): "nothing to forward; traffic may begin",
    ("verify", "generated"): "forward, load the new handler, then traffic",
    ("verify", "disputed"): "forward, or send a proposal if the text must change; after a new agreement: generate with supersedes",
    ("fix", "clean"): "forward the rejection with its reasons; nothing changes",
    ("fix", "generated"): "forward, load the new handler, then traffic",
    ("fix", "disputed"): "forward, or send a proposal if the text must change; after a new agreement: generate with supersedes",
    ("observe", "clean"): "nothing; the peer keeps the agreement",
    ("observe", "disputed"): "forward the complaint, which names exchange and place, then wait for the peer",
}


def next_step(kind, verdict):
    """What to do with an outcome."""
    if verdict == "error":
        return "forward if there is a message; the conversation is over"
    if kind == "late":
        return "a handler was finished after the deadline: the next conversation may start with its protocol hash"
    return NEXT.get((kind, verdict), "unknown: read the envelope")


def canonical(value):
    """Canonical JSON text (RFC 8785)."""
    if isinstance(value, dict):
        # RFC 8785 sorts by UTF-16 code units.
        members = sorted(value.items(), key=lambda item: item[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(each)}" for name, each in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(each) for each in value) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return canonical_number(value)
    return json.dumps(value, ensure_ascii=False)


def canonical_number(value):
    """A number as ECMAScript writes it: the shortest digits for the same double."""
    sign, digits, exponent = decimal.Decimal(repr(float(value))).normalize().as_tuple()
    text = "".join(map(str, digits))
    if text == "0":
        return "0"
    point = len(text) + exponent
    if 0 < point <= 21:
        whole = text[:point].ljust(point, "0") + ("." + text[point:] if len(text) > point else "")
    elif -6 < point <= 0:
        whole = "0." + "0" * -point + text
    else:
        whole = text[0] + ("." + text[1:] if len(text) > 1 else "") + f"e{point - 1:+d}"
    return ("-" if sign else "") + whole


def job_id_of(job):
    """The recommended id: a repeated job gets the same id."""
    return "ps-" + hashlib.sha256(canonical(job).encode("utf-8")).hexdigest()[:40]


class Negotiator:
    """Submits jobs and reads outcomes over one connection."""

    def __init__(self, url, prefix="{protosmith}", stream="default", group="negotiator"):
        self.redis = redis.Redis.from_url(url, decode_responses=True)
        self.prefix = prefix
        self.outcomes = f"{prefix}:outcomes:{stream}"
        self.group = group
        self.reader = f"{socket.gethostname()}-{os.getpid()}"
        try:
            self.redis.xgroup_create(self.outcomes, group, id="0", mkstream=True)
        except redis.ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise

    def submit(self, kind, job):
        """Adds a job to the intake stream, which keeps it safe. Returns its id."""
        job_id = job_id_of(job)
        earlier = self.envelope(job_id)
        if earlier is not None and earlier.get("kind") not in (None, kind):
            # A review of the same data before this is another job.
            job_id += f"-{kind}"
        fields = {"kind": kind, "jobId": job_id, "data": json.dumps(job, ensure_ascii=False)}
        self.redis.xadd(f"{self.prefix}:intake", fields)
        return job_id

    def entries(self, block_ms=2_000):
        """Entries of the outcome stream: first those that another reader of the group left unacknowledged for 30 s, then new ones."""
        left = self.redis.xautoclaim(self.outcomes, self.group, self.reader, min_idle_time=30_000, start_id="0-0", count=10)
        claimed = [(entry_id, fields) for entry_id, fields in left[1] if fields]
        if claimed:
            return claimed
        answer = self.redis.xreadgroup(self.group, self.reader, {self.outcomes: ">"}, count=10, block=block_ms)
        return answer[0][1] if answer else []

    def envelope(self, job_id):
        """The whole outcome: findings, proposals, report and handler."""
        text = self.redis.get(f"{self.prefix}:outcome:{job_id}")
        return None if text is None else json.loads(text)

    def acknowledge(self, entry_id):
        """Acknowledges an entry, so that it is not delivered again."""
        self.redis.xack(self.outcomes, self.group, entry_id)


def react(negotiator, fields):
    """How this negotiator handles an entry. A real one sends `forward` to its peer here."""
    job_id, kind, verdict = fields["jobId"], fields["kind"], fields["verdict"]
    envelope = negotiator.envelope(job_id) or {}
    return {
        "jobId": job_id,
        "negotiationId": fields["negotiationId"],
        "kind": kind,
        "verdict": verdict,
        "final": fields["final"] == "1",
        "forward": json.loads(fields["messages"]),
        "proposals": envelope.get("proposals", []),
        "findings": [finding["message"] for finding in envelope.get("findings", [])],
        "handler": (envelope.get("handler") or {}).get("digest"),
        "next": next_step(kind, verdict),
    }


def main():
    parser = argparse.ArgumentParser(description="Submits one job and reacts to its outcome.")
    parser.add_argument("job", help="file with the job's data as JSON")
    parser.add_argument("--redis", default=os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"))
    parser.add_argument("--prefix", default="{protosmith}")
    parser.add_argument("--kind", default="generate", choices=["generate", "review", "verify", "fix", "observe"])
    parser.add_argument("--group", default="negotiator")
    parser.add_argument("--wait", type=float, default=70.0, help="seconds")
    arguments = parser.parse_args()
    try:
        with open(arguments.job, encoding="utf-8") as file:
            job = json.load(file)
        if not isinstance(job, dict):
            raise ValueError("not a JSON object")
    except (OSError, ValueError) as error:
        print(f"Cannot read job: {error}, wanted a file with the job's data as JSON", file=sys.stderr)
        return 65
    negotiator = Negotiator(arguments.redis, arguments.prefix, job.get("replyTo", "default"), arguments.group)
    wanted = negotiator.submit(arguments.kind, job)
    ends_at = time.monotonic() + arguments.wait
    while time.monotonic() < ends_at:
        for entry_id, fields in negotiator.entries():
            # Delivery is at least once. Entries of other conversations are handled too, or they would stay pending.
            reaction = react(negotiator, fields)
            print(json.dumps(reaction, ensure_ascii=True), flush=True)
            negotiator.acknowledge(entry_id)
            if reaction["jobId"] == wanted and reaction["final"]:
                return 2 if reaction["verdict"] == "error" else 0
    print(f"Cannot read outcome of {wanted}: none within {arguments.wait} s, wanted a worker that answers", file=sys.stderr)
    return 69


if __name__ == "__main__":
    try:
        sys.exit(main())
    except redis.ConnectionError as error:
        print(f"Cannot reach Redis: {error}, wanted an answer", file=sys.stderr)
        sys.exit(69)
