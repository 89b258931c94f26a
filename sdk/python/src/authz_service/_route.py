"""By which way a client reaches its decision point: directly, by a unix socket, or through a proxy."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import ssl
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Dict, Mapping, Optional, Tuple
from urllib.parse import unquote, urlsplit

from ._own_headers import secrets_in
from ._request import base_address
from .errors import InvalidConfig

_SOCKET = re.compile(r"unix://(/[^?#]*[^?#/])")

#: The longest head of a proxy's answer to CONNECT, in bytes.
TUNNEL_HEAD_MAX = 1 << 14


@dataclass(frozen=True)
class Route:
    #: The base address.
    base: str
    #: Whom the requests are for.
    host: str
    port: int
    #: The value of `Host`.
    authority: str
    context: Optional[ssl.SSLContext]
    socket_path: Optional[str] = None
    proxy: Optional[Proxy] = None

    @property
    def secrets(self) -> Tuple[str, ...]:
        return () if self.proxy is None else self.proxy.secrets

    def target(self, url: str) -> str:
        """The target that the request line names."""
        if self.socket_path is not None and url.startswith(self.base):
            return url[len(self.base) :]
        if self.proxy is not None and self.context is None:
            return url
        parts = urlsplit(url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def headers(self, given: Mapping[str, str]) -> Mapping[str, str]:
        """The headers of a request, with those for a proxy that reads it."""
        if self.proxy is None or self.context is not None:
            return given
        return {**given, **self.proxy.headers}

    def unreachable(self, error: OSError) -> OSError:
        """The error of a connection that could not be made, which says so where it was one to the proxy."""
        return error if self.proxy is None else self.proxy.fault(f"cannot be reached: {error}")

    def tunnel(self) -> Optional[bytes]:
        """The question to the proxy whether it opens a tunnel (RFC 9110 section 9.3.6); None where there is none to open."""
        if self.proxy is None or self.context is None:
            return None
        host = f"[{self.host}]" if ":" in self.host else self.host
        lines = [f"CONNECT {host}:{self.port} HTTP/1.1", f"Host: {host}:{self.port}"]
        lines += [f"{name}: {value}" for name, value in self.proxy.headers.items()]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


@dataclass(frozen=True)
class Proxy:
    #: Without user and password.
    name: str
    host: str
    port: int
    #: They hold user and password, which tools that show variables must not print.
    headers: Dict[str, str] = field(repr=False)
    #: The password, in all forms in which it is sent or given.
    secrets: Tuple[str, ...] = field(default=(), repr=False)

    def fault(self, why: object) -> OSError:
        return OSError(f"the proxy {self.name} {why}")

    def opened(self, head: bytes) -> None:
        """Raises OSError unless the answer to CONNECT says that the tunnel is open."""
        status = head.split(b"\r\n", 1)[0].split(b" ")[1:2]
        if status != [b"200"]:
            raise self.fault(f"answered {(status or [b'nothing'])[0].decode('latin-1')} to CONNECT")


def address_of(url: str) -> str:
    """The base address of a client. Raises `InvalidConfig`."""
    if not url.startswith("unix:"):
        return base_address(url)
    if _SOCKET.fullmatch(url) is None:
        raise InvalidConfig(f'"{url}" is no address of a unix socket: write its path, like "unix:///run/service/agent.sock".')
    return url


def route_of(base: str, ca: Optional[str], ssl_context: Optional[ssl.SSLContext], proxy: Optional[str]) -> Route:
    if ca is not None and ssl_context is not None:
        raise InvalidConfig("ca and ssl_context contradict each other: give one of them.")
    via = None if proxy is None else _proxy_of(proxy)
    # Certificates are read here, since reading them takes longer than many decisions may.
    own = ssl_context if ca is None else _trusting(ca)
    found = _SOCKET.fullmatch(base)
    if found is not None:
        if not hasattr(socket, "AF_UNIX"):
            raise InvalidConfig("This system's Python has no unix sockets: give an http address.")
        if via is not None:
            raise InvalidConfig("A unix socket is reached without a proxy: leave out one of them.")
        return Route(base, "localhost", 80, "localhost", None, socket_path=found.group(1))
    parts = urlsplit(base)
    host = parts.hostname or ""
    secure = parts.scheme == "https"
    context = (own or ssl.create_default_context()) if secure else None
    port = parts.port or (443 if secure else 80)
    return Route(base, host, port, parts.netloc, context, proxy=None if _is_loopback(host) else via)


def _trusting(ca: str) -> ssl.SSLContext:
    """A context that trusts these certificates alone: the text of a PEM file, or its path."""
    is_text = "-----BEGIN" in ca
    try:
        if is_text:
            text = ca
        else:
            with open(os.path.expanduser(ca), encoding="ascii") as file:
                text = file.read()
        if "-----BEGIN CERTIFICATE-----" not in text:
            raise ValueError
        return ssl.create_default_context(cadata=text)
    except (ssl.SSLError, ValueError):
        pass
    except OSError as error:
        raise InvalidConfig(f'The certificates of ca cannot be read from "{ca}": {error.strerror}.') from None
    raise InvalidConfig(f"{'The text' if is_text else repr(ca)} of ca holds no certificates in PEM: give a file that does, or its text.")


def _proxy_of(text: str) -> Proxy:
    try:
        parts = urlsplit(text)
        port = parts.port or 80
    except ValueError:
        parts, port = urlsplit(""), 0
    if parts.scheme != "http" or not parts.hostname or port == 0 or parts.path not in ("", "/") or parts.query or parts.fragment:
        shown = "The proxy" if "@" in text else f'The proxy "{text}"'
        raise InvalidConfig(f'{shown} is no http address of a proxy: write it like "http://proxy.example.com:3128".')
    headers = {}
    secrets: Tuple[str, ...] = ()
    if parts.username or parts.password:
        pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()
        basic, given = b64encode(pair).decode(), parts.password or ""
        headers["proxy-authorization"] = f"Basic {basic}"
        secrets = (basic, *secrets_in({"password": unquote(given), "given": given}))
    return Proxy(parts.netloc.rpartition("@")[2], parts.hostname, port, headers, secrets)


def _is_loopback(host: str) -> bool:
    """Whether it is one's own machine, to which no proxy leads."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
