"""Options of a client that no call could use."""

from __future__ import annotations

from typing import Any, Mapping

from ._own_headers import is_header_value
from .errors import InvalidConfig

#: The longest time that a client takes, in seconds: 24 days, as its siblings in other languages do.
_LONGEST = (2**31 - 1) / 1000


def demand_usable(spans: Mapping[str, Any], counts: Mapping[str, Any], user_agent: Any) -> None:
    """Raises `InvalidConfig`. `spans` are times in seconds, `counts` whole numbers with the least that each may be."""
    for name, seconds in spans.items():
        if seconds is not None and not (_is_number(seconds, (int, float)) and 0 < seconds <= _LONGEST):
            raise InvalidConfig(f"The option {name} is {seconds!r}: give seconds above 0, at most {_LONGEST}.")
    for name, (count, least) in counts.items():
        if count is not None and not (_is_number(count, int) and count >= least):
            raise InvalidConfig(f"The option {name} is {count!r}: give a whole number, {least} or more.")
    if not is_header_value(user_agent):
        raise InvalidConfig(f"The option user_agent is {user_agent!r}: give a name in plain ASCII, in one line.")


def _is_number(value: Any, kinds: Any) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)
