#!/usr/bin/env python3
"""Check an export of a host without Colosseum: see docs/data.md.

    python3 verify.py 2026-10 [--public club.pub]

It needs the program zstd, or Python 3.14 or newer, and for --public the program openssl.
It checks hashes, the signature, the numbers of matches, their order and time, the keys that
each line must have, and the commitment to each seed.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys


class Wrong(Exception):
    """What is wrong with the export."""


def main():
    parser = argparse.ArgumentParser(description="Check an export of a host.")
    parser.add_argument("folder")
    parser.add_argument("--public", metavar="FILE", help="the public key that must have signed it")
    args = parser.parse_args()
    try:
        print(verify(args.folder, args.public))
    except (Wrong, OSError) as e:
        sys.exit(f"{args.folder} is not verified: {e}")


def verify(folder, public):
    with open(os.path.join(folder, "manifest.json"), "rb") as f:
        text = f.read()
    manifest = json.loads(text)
    need(manifest["format"] == "colosseum-export-1", f"unknown format {manifest['format']!r}")
    if public:
        check_signature(folder, public)
    with open(os.path.join(folder, "match.schema.json"), "rb") as f:
        schema = json.load(f)
    games, last, total = {}, manifest["since"], 0
    for file in manifest["files"]:
        name = file["name"]
        need(re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name), f"a file cannot be named {name!r}")
        path = os.path.join(folder, name)
        need(os.path.getsize(path) == file["bytes"] and sha256(path) == file["sha256"], f"{name} was changed")
        matches = 0
        for line in lines(path) if file.get("matches") else ():
            match = json.loads(line)
            where = f"{name}, match {match.get('id')!r}"
            check_match(match, schema, where)
            need(moment(match["ended"]) >= moment(last), f"{where}: out of order")
            need(moment(match["ended"]) < moment(manifest["until"]), f"{where}: it ended too late")
            need(manifest.get("game", match["game"]) == match["game"], f"{where}: it is of another game")
            last = match["ended"]
            games[match["game"]] = games.get(match["game"], 0) + 1
            matches += 1
        need(matches == file.get("matches", 0), f"{name} has {matches} matches")
        total += matches
    need(total == manifest["matches"] and games == manifest["games"], f"it has {total} matches: {games}")
    signed = "signed" if public else "the signature was not checked"
    return f"{folder} is verified: {total} matches, {signed}"


def check_match(match, schema, where):
    for key in schema["required"]:
        need(key in match, f"{where}: it has no {key}")
    need(match["format"] == "colosseum-match-1" and match["state"] in ("finished", "aborted"), f"{where}: it has not ended")
    seats = len(match["seats"])
    need(all(0 <= a["seat"] < seats for a in match["answers"] or ()), f"{where}: an answer is from no seat")
    if "salt" in match:
        seed = int(match["seed"]).to_bytes(8, "big")
        commitment = hashlib.sha256(bytes.fromhex(match["salt"]) + seed).hexdigest()
        need(commitment == match["commitment"], f"{where}: the seed is not the one of the commitment")


def check_signature(folder, public):
    need(shutil.which("openssl"), "the program openssl is not installed")
    run = subprocess.run(
        ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin",
         "-in", os.path.join(folder, "manifest.json"), "-sigfile", os.path.join(folder, "manifest.sig")],
        capture_output=True, check=False)
    need(run.returncode == 0, "the signature is missing, or of another key or manifest")


def lines(path):
    """Yield the lines of a compressed file, one in memory at a time."""
    try:
        from compression import zstd  # Python 3.14
    except ImportError:
        need(shutil.which("zstd"), "the program zstd is not installed")
        with subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE) as unpack:
            yield from unpack.stdout
        need(unpack.returncode == 0, f"zstd cannot read {path}")
        return
    with zstd.open(path) as f:
        yield from f


def moment(time):
    """Return a time of RFC 3339 in UTC as a text that can be compared."""
    need(time.endswith("Z"), f"{time!r} is not a time in UTC")
    whole, _, fraction = time[:-1].partition(".")
    return whole + "." + fraction.ljust(9, "0")


def sha256(path):
    with open(path, "rb") as f:
        digest = hashlib.sha256()
        while block := f.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def need(condition, problem):
    if not condition:
        raise Wrong(problem)


if __name__ == "__main__":
    main()
