"""Credentials as headers."""

from __future__ import annotations

import base64
from urllib.parse import quote_plus

from .errors import InvalidConfig


def bearer(token: str, what: str) -> str:
    """The header of a bearer token (RFC 6750 section 2.1). The error never shows the token."""
    if token and all("!" <= character <= "~" for character in token):
        return f"Bearer {token}"
    fault = "malformed: it holds white space or characters beyond ASCII" if token else "empty"
    raise InvalidConfig(f"{what} is {fault}.")


def basic(client_id: str, client_secret: str) -> str:
    """HTTP Basic with both parts form-encoded first (RFC 6749 section 2.3.1)."""
    text = f"{quote_plus(client_id)}:{quote_plus(client_secret)}"
    return "Basic " + base64.b64encode(text.encode()).decode()
