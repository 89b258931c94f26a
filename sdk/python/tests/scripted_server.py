"""A server on raw sockets that answers by the script of a vector."""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import parse_qsl


class ScriptedServer:
    """Consumes the script in order, one entry a request, whatever connection it comes on."""

    def __init__(self, script: List[Dict[str, Any]], path: Optional[str] = None) -> None:
        self._script = list(script)
        self._lock = threading.Lock()
        self._over = threading.Event()
        self.faults: List[str] = []
        self.connections = 0
        if path is None:
            self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
            self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        else:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(path)
            self._listener.listen(256)
            self.url = f"unix://{path}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def __enter__(self) -> ScriptedServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        self._listener.close()
        if self._script:
            self.faults.append(f"{len(self._script)} entries of the script are left over")

    def _accept(self) -> None:
        while not self._over.is_set():
            if not select.select([self._listener], [], [], 0.02)[0]:
                continue
            sock, _ = self._listener.accept()
            if sock.family != socket.AF_UNIX:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        with sock:
            buffer = b""
            while True:
                request, buffer = self._read(sock, buffer)
                if request is None:
                    return
                with self._lock:
                    entry = self._script.pop(0) if self._script else None
                if entry is None:
                    self.faults.append(f"a request too many: {request['method']} {request['path']}")
                    return
                self._compare(entry.get("expect", {}), request)
                if not self._reply(sock, entry["reply"], request["headers"].get("x-request-id", "")):
                    return

    def _read(self, sock: socket.socket, buffer: bytes) -> Tuple[Optional[Dict[str, Any]], bytes]:
        def more() -> bool:
            nonlocal buffer
            while not self._over.is_set():
                if select.select([sock], [], [], 0.02)[0]:
                    try:
                        piece = sock.recv(1 << 16)
                    except OSError:
                        return False
                    buffer += piece
                    return bool(piece)
            return False

        while b"\r\n\r\n" not in buffer:
            if not more():
                return None, buffer
        head, _, buffer = buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0"))
        while len(buffer) < length:
            if not more():
                return None, buffer
        return {"method": method, "path": path, "headers": headers, "body": buffer[:length]}, buffer[length:]

    def _compare(self, expect: Dict[str, Any], request: Dict[str, Any]) -> None:
        for name in ("method", "path"):
            if name in expect and expect[name] != request[name]:
                self.faults.append(f"{name} is {request[name]}, not {expect[name]}")
        for name, value in expect.get("headers", {}).items():
            if request["headers"].get(name.lower()) != value:
                self.faults.append(f"header {name} is {request['headers'].get(name.lower())}, not {value}")
        if "body" in expect and json.loads(request["body"] or b"null") != expect["body"]:
            self.faults.append(f"body is {request['body']!r}, not {expect['body']}")
        if "form" in expect and dict(parse_qsl(request["body"].decode())) != expect["form"]:
            self.faults.append(f"form is {request['body']!r}, not {expect['form']}")

    def _reply(self, sock: socket.socket, reply: Dict[str, Any], request_id: str) -> bool:
        """False where the connection is to be closed."""
        self._over.wait(reply.get("delayMs", 0) / 1000)
        fault = reply.get("fault")
        try:
            if fault == "reset":
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif fault == "half":
                sock.sendall(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{"decision":true')
            elif fault == "garbage":
                sock.sendall(b"\x00\x01 this is not HTTP \xff\r\n\r\n")
            elif fault == "silent":
                self._over.wait()
            elif fault == "slowHeader":
                sock.sendall(b"HTTP/1.1 200 OK\r\nx: ")
                while not self._over.wait(0.1):
                    sock.sendall(b"x")
            elif fault is not None:
                raise AssertionError(f"there is no fault {fault}")
            else:
                text = json.dumps(reply["json"]).replace("BASE", self.url) if "json" in reply else reply.get("text", "")
                body = text.encode()
                headers = {**reply.get("headers", {}), "content-length": str(len(body))}
                head = "".join(f"{name}: {value}\r\n" for name, value in headers.items()).replace("REQUEST_ID", request_id)
                for status in reply.get("interim", []):
                    sock.sendall(f"HTTP/1.1 {status} Interim\r\nlink: </x>\r\n\r\n".encode())
                after = reply.get("after", "").encode()
                sock.sendall(f"HTTP/1.1 {reply['status']} Scripted\r\n{head}\r\n".encode() + body + after)
                return True
        except OSError:
            # The client has given up, as some cases want.
            pass
        return False
