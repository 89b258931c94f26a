"""The code blocks of the README run, one after the other, against a decision point on a socket."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict

import pytest
from authz_service import Resource, Subject
from authz_service.testing import FakeDecisionPoint

README = (Path(__file__).parents[1] / "README.md").read_text()

MANAGEMENT = {
    "/v1/roles?application=billing": {"items": [{"name": "accountant"}]},
    "/v1/changesets": {"revision": "1.x", "added": 1},
    "/access/v1/search/subject": {"results": [{"type": "user", "id": "carol"}]},
}


def test_the_code_blocks_run(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fastapi")
    pdp = FakeDecisionPoint()
    pdp.allow(Subject("user", "alice"), resource=Resource("invoice", "INV-1"))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            known = MANAGEMENT.get(self.path)
            text = pdp.answer(self.path, body).body if known is None else json.dumps(known).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST

        def log_message(self, format: str, *values: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) == 7
    names: Dict[str, Any] = {"__name__": "readme"}
    try:
        for block in blocks:
            text = block.replace("http://127.0.0.1:8181", f"http://127.0.0.1:{server.server_port}")
            exec(compile(text, "README.md", "exec"), names)
    finally:
        names["client"].close()
        server.shutdown()
        server.server_close()
    said = capsys.readouterr().out
    assert said.startswith("approved\nTrue True\nTrue\nFalse\ncarol\n[True, True]")
    assert said.endswith("accountant\n")
    assert names["mine"] == ["INV-1"]
