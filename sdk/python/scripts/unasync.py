"""Generates the client for threads from the one for asyncio, so that the two are the same.

    python3 scripts/unasync.py            writes src/authz_service/_sync
    python3 scripts/unasync.py --check    exits with 1 where a file there is stale
"""

import re
import sys
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "src/authz_service"

#: What reaches threads or the event loop differs and is written by hand on both sides: `transport.py`, `waiting.py`.
GENERATED = ["batcher.py", "client.py", "endpoints.py", "management.py", "records.py", "sender.py", "token_source.py"]

HEADER = "# Generated from _async/{name} by scripts/unasync.py. Do not edit.\n"

REPLACEMENTS = [
    (r"H11Transport", "HttpClientTransport"),
    (r"Coroutine\[Any, Any, ((?:[^\[\]]|\[(?:[^\[\]]|\[[^\]]*\])*\])*)\]", r"\1"),
    (r" Coroutine,", ""),
    (r"async (def|with|for) ", r"\1 "),
    (r"await ", ""),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"\bAsync([A-Z])", r"\1"),
    (r"\basyncio\b", "threads"),
]


def unasync(text: str) -> str:
    for pattern, replacement in REPLACEMENTS:
        text = re.sub(pattern, replacement, text)
    return text


def main() -> int:
    stale = 0
    for name in GENERATED:
        text = HEADER.format(name=name) + unasync((SOURCES / "_async" / name).read_text())
        file = SOURCES / "_sync" / name
        if "--check" not in sys.argv:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            print(f"{file} is stale: run python3 scripts/unasync.py", file=sys.stderr)
            stale += 1
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
