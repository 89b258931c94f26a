"""Headers that the caller wants with every request."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Optional

from .errors import InvalidConfig

#: The headers that the client sends itself or that HTTP needs, and what sets those that a caller can set.
_OWN = re.compile(
    r"authorization|user-agent|x-request-id|service-.*|accept(-encoding)?|connection|content-.*|expect|host|idempotency-key|if-.*"
    r"|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade"
)
_OPTIONS = {
    "authorization": "give the credentials as api_key, or as client_id and client_secret",
    "user-agent": "give user_agent",
    "x-request-id": "give request_id to the call",
    "service-max-age": "give max_age",
}

#: The shortest value that counts as a secret: no error repeats it.
_SECRET_MIN = 8


def callers_headers(given: Optional[Mapping[str, str]]) -> Dict[str, str]:
    """The headers by their names in small letters. Raises `InvalidConfig`."""
    headers: Dict[str, str] = {}
    for written, value in (given or {}).items():
        name = written.lower()
        if re.fullmatch(r"[!#$%&'*+.^_`|~\w-]+", name, re.ASCII) is None:
            raise InvalidConfig(f'{written!r} is no name of a header: use letters and "-".')
        if _OWN.fullmatch(name) is not None:
            raise InvalidConfig(f'The header "{written}" is the client\'s own: {_OPTIONS.get(name, "leave it out")}.')
        if name in headers:
            raise InvalidConfig(f'The header "{written}" is given twice: give it once.')
        if not is_header_value(value):
            raise InvalidConfig(f'The value of the header "{written}" is empty or not plain ASCII in one line.')
        headers[name] = value
    return headers


def is_header_value(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?", value) is not None


def secrets_in(headers: Mapping[str, str]) -> List[str]:
    """The values of headers, or of other options, that may be secrets."""
    return [value for value in headers.values() if len(value) >= _SECRET_MIN]


def max_age_header(seconds: Optional[float]) -> Optional[str]:
    """The value of `Service-Max-Age`. Raises `InvalidConfig` for anything but whole seconds."""
    if seconds is None:
        return None
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if is_number and 0 <= seconds < 1e9 and seconds == int(seconds):
        return str(int(seconds))
    raise InvalidConfig(f"A maximum age of {seconds} seconds cannot be asked for: give a whole number from 0 to 999999999.")
