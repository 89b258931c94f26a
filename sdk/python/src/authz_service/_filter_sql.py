"""Says filters in SQL, as the translators of all SDKs do (test/vectors/filters.json)."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Dict, Generic, List, Literal, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from .errors import InvalidConfig
from .filters import Filter, FilterCondition, FilterValue, is_condition

SqlDialect = Literal["postgres", "mysql", "sqlite"]

#: How drivers write the place of a parameter.
Placeholder = Literal["$1", "?", "%s"]

SqlParam = Union[str, int, float, Decimal]


#: A column: for `filter_sql` an SQL expression that the application trusts, `doc.amount`.
C = TypeVar("C")


@dataclass(frozen=True)
class ArrayColumn(Generic[C]):
    """A PostgreSQL array of text that holds a list."""

    column: C


@dataclass(frozen=True)
class FilterColumns(Generic[C]):
    """The columns of a table. A list is a column of JSON, or an `ArrayColumn`."""

    #: The column that holds what requests call the name of the resource; it is never NULL.
    name: Optional[C] = None
    properties: Mapping[str, Union[C, ArrayColumn[C]]] = field(default_factory=dict)
    #: By the type of the parent.
    parents: Mapping[str, C] = field(default_factory=dict)


@dataclass(frozen=True)
class SqlFilter:
    """An expression for a WHERE, and its parameters."""

    kind: Literal["all", "none", "some"]
    sql: str
    params: Tuple[SqlParam, ...]
    #: Set where not all of these rows are allowed: ask a decision for each.
    partial: bool = False


def filter_sql(
    filter: Filter, columns: FilterColumns[str], dialect: SqlDialect, placeholder: Optional[Placeholder] = None
) -> SqlFilter:
    """Says a filter in SQL. Raises `InvalidConfig` for an attribute that has no column: nothing is left out.

    `placeholder` is what the driver takes: by default `$1` for PostgreSQL (asyncpg) and `?` elsewhere (sqlite3). For psycopg,
    PyMySQL and mysqlclient give `%s`, and write `%%` for a `%` in the SQL of columns.
    """
    template = filter_template(filter, columns, dialect)
    style = placeholder or ("$1" if dialect == "postgres" else "?")
    params: List[SqlParam] = []
    sql = template.strings[0]
    for value, text in zip(template.values, template.strings[1:]):
        if isinstance(value, Param):
            params.append(value.value)
            sql += f"${len(params)}" if style == "$1" else style
        else:
            sql += value
        sql += text
    return SqlFilter(filter.kind, sql, tuple(params), filter.partial)


@dataclass(frozen=True)
class Param:
    """A parameter of a query."""

    value: SqlParam


@dataclass(frozen=True)
class FilterTemplate(Generic[C]):
    """A condition whose `strings` stand before, between and after `values`: columns and parameters."""

    strings: Tuple[str, ...]
    values: Tuple[Union[C, Param], ...]


def filter_template(filter: Filter, columns: FilterColumns[C], dialect: SqlDialect) -> FilterTemplate[C]:
    """Says a filter in SQL. Raises `InvalidConfig` for an attribute that has no column: nothing is left out."""
    if dialect not in _WRITERS:
        raise InvalidConfig(f'"{dialect}" is no dialect: give postgres, mysql or sqlite.')
    if filter.kind != "some":
        return FilterTemplate(("1 = 1" if filter.kind == "all" else _NEVER,), ())
    if filter.condition is None or not is_condition(filter.condition):
        raise InvalidConfig("The filter has a condition that is not understood.")
    writer = _WRITERS[dialect](columns)
    parts = writer.condition(filter.condition).split(_NUL)
    return FilterTemplate(tuple(parts[::2]), tuple(writer.values[int(index)] for index in parts[1::2]))


#: Stands around the number of a value in a text under way; no SQL has it.
_NUL = "\0"
_NEVER = "1 = 0"
_ORDER = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class _Writer(ABC):
    def __init__(self, columns: FilterColumns[Any]) -> None:
        self._columns = columns
        self.values: List[Any] = []

    def condition(self, condition: FilterCondition) -> str:
        op = condition["op"]
        if op in ("and", "or"):
            return f"({f' {op.upper()} '.join(self.condition(arg) for arg in condition['args'])})"
        if op != "not":
            return self._test(condition)
        arg = condition["arg"]
        if arg["op"] == "present":
            return f"{self._column(arg['attribute'])[0]} IS NULL"
        return f"NOT ({self._test(arg)})"

    def _test(self, test: FilterCondition) -> str:
        op = test["op"]
        column, is_array = self._column(test["attribute"])
        if op == "present":
            return f"{column} IS NOT NULL"
        if op == "eq":
            return self.equal(column, test["value"])
        if op == "in":
            return self.one_of(column, test["values"])
        if op in _ORDER:
            return self.ordered(column, _ORDER[op], test["value"])
        if op == "startsWith":
            return self.starts_with(column, test["value"])
        if op == "endsWith":
            return self.ends_with(column, test["value"])
        if op == "contains":
            return self.contains(column, test["value"])
        if op == "hasAny":
            return self.has_any(column, test["values"], is_array)
        if op == "hasOnly":
            return self.has_only(column, test["values"], is_array)
        other, _ = self._column(test["other"])
        if op == "same":
            return self.same(column, other)
        return f"{column} {'<' if op == 'less' else '<='} {other}"

    def _column(self, attribute: str) -> Tuple[str, bool]:
        root, _, member = attribute.partition(".")
        known: Dict[str, Mapping[str, Any]] = {
            "name": {"": self._columns.name},
            "properties": self._columns.properties,
            "parents": self._columns.parents,
        }
        given = known[root].get(member)
        if given is None:
            raise InvalidConfig(
                f'The filter reads "{attribute}", to which no column is given: add it, or send it with the request if it is the '
                "same for all rows."
            )
        is_array = isinstance(given, ArrayColumn)
        return self._placed(given.column if is_array else given), is_array

    def placed(self, value: SqlParam) -> str:
        """Adds a parameter."""
        return self._placed(Param(value))

    def _placed(self, value: Any) -> str:
        self.values.append(value)
        return f"{_NUL}{len(self.values) - 1}{_NUL}"

    @abstractmethod
    def parameter(self, value: FilterValue) -> str: ...

    def equal(self, column: str, value: FilterValue) -> str:
        return f"{column} = {self.parameter(value)}"

    def one_of(self, column: str, values: Sequence[FilterValue]) -> str:
        return f"{column} IN ({', '.join(self.parameter(value) for value in values)})"

    @abstractmethod
    def ordered(self, column: str, operator: str, value: FilterValue) -> str: ...

    @abstractmethod
    def starts_with(self, column: str, text: str) -> str: ...

    @abstractmethod
    def ends_with(self, column: str, text: str) -> str: ...

    @abstractmethod
    def contains(self, column: str, text: str) -> str: ...

    @abstractmethod
    def has_any(self, column: str, values: Sequence[FilterValue], is_array: bool) -> str: ...

    @abstractmethod
    def has_only(self, column: str, values: Sequence[FilterValue], is_array: bool) -> str: ...

    def same(self, left: str, right: str) -> str:
        return f"{left} = {right}"


def _any(tests: Sequence[str]) -> str:
    return f"({' OR '.join(tests)})" if tests else _NEVER


def _plain(value: FilterValue) -> Union[str, int, float, bool]:
    """Numbers are those of JSON in JavaScript: a whole one is an integer where that is exact."""
    if isinstance(value, (str, bool)):
        return value
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _json(value: Any) -> str:
    plain = [_plain(one) for one in value] if isinstance(value, (list, tuple)) else _plain(value)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


class _SqliteWriter(_Writer):
    """Compares texts by their bytes, whatever collation or type a column has."""

    def parameter(self, value: FilterValue) -> str:
        return self.placed(int(value) if isinstance(value, bool) else _plain(value))

    def equal(self, column: str, value: FilterValue) -> str:
        if not isinstance(value, str):
            return super().equal(column, value)
        equal = super().equal(_binary(column), value)
        return f"({equal} AND {super().equal(_as_text(column), value)})" if _is_like_number(value) else equal

    def one_of(self, column: str, values: Sequence[FilterValue]) -> str:
        if not isinstance(values[0], str):
            return super().one_of(column, values)
        listed = super().one_of(_binary(column), values)
        if not any(_is_like_number(value) for value in values):
            return listed
        return f"({listed} AND {super().one_of(_as_text(column), values)})"

    def same(self, left: str, right: str) -> str:
        return super().same(_as_text(left), _as_text(right))

    def ordered(self, column: str, operator: str, value: FilterValue) -> str:
        return f"{_as_text(column) if isinstance(value, str) else column} {operator} {self.parameter(value)}"

    def starts_with(self, column: str, text: str) -> str:
        return f"instr({column}, {self.parameter(text)}) = 1"

    def ends_with(self, column: str, text: str) -> str:
        length = len(text.encode())
        # A part from -0 on is the whole, and the end of no bytes is NULL.
        if length == 0:
            return f"{column} IS NOT NULL"
        data = f"CAST({column} AS BLOB)"
        return f"(length({data}) >= {length} AND substr({data}, -{length}) = CAST({self.parameter(text)} AS BLOB))"

    def contains(self, column: str, text: str) -> str:
        return f"instr({column}, {self.parameter(text)}) > 0"

    def has_any(self, column: str, values: Sequence[FilterValue], is_array: bool) -> str:
        return f"EXISTS (SELECT 1 FROM json_each({column}) AS item WHERE {self._is_item(values)})"

    def has_only(self, column: str, values: Sequence[FilterValue], is_array: bool) -> str:
        # What is NULL has no items, either.
        other = f"SELECT 1 FROM json_each({column}) AS item WHERE NOT {self._is_item(values)}"
        return f"({column} IS NOT NULL AND NOT EXISTS ({other}))"

    def _is_item(self, values: Sequence[FilterValue]) -> str:
        tests = []
        for value in values:
            if isinstance(value, bool):
                tests.append(f"item.type = '{'true' if value else 'false'}'")
            elif isinstance(value, str):
                tests.append(f"(item.type = 'text' AND item.value = {self.parameter(value)})")
            else:
                tests.append(f"(item.type IN ('integer', 'real') AND item.value = {self.parameter(value)})")
        return _any(tests)


def _binary(column: str) -> str:
    return f"{column} COLLATE BINARY"


def _is_like_number(value: FilterValue) -> bool:
    """A column of integers takes such a text for a number: `007` for 7."""
    return isinstance(value, str) and re.match(r"[ \t\n\v\f\r+.-]*[0-9]", value) is not None


def _as_text(column: str) -> str:
    return _binary(f"CAST({column} AS TEXT)")


class _PostgresWriter(_Writer):
    """Compares texts as texts, whatever type a column has; the index of a column of text serves that. They are equal by their
    bytes in every collation that PostgreSQL calls deterministic, which all are by default. None of them has the character U+0000.
    """

    def parameter(self, value: FilterValue) -> str:
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        plain = _plain(value)
        if isinstance(plain, str) or (isinstance(plain, int) and abs(plain) < 2**15):
            return self.placed(plain)
        # As the column's own type, the parameter might be out of its range; a float would lose digits.
        if isinstance(plain, int):
            return f"CAST({self.placed(plain)} AS bigint)"
        return f"CAST({self.placed(Decimal(repr(plain)))} AS numeric)"

    def equal(self, column: str, value: FilterValue) -> str:
        if not isinstance(value, str):
            return super().equal(column, value)
        return super().equal(_text(column), value) if _is_storable(value) else _NEVER

    def one_of(self, column: str, values: Sequence[FilterValue]) -> str:
        if not isinstance(values[0], str):
            return super().one_of(column, values)
        storable = [value for value in values if _is_storable(value)]
        return super().one_of(_text(column), storable) if storable else _NEVER

    def same(self, left: str, right: str) -> str:
        return super().same(_text(left), _text(right))

    def ordered(self, column: str, operator: str, value: FilterValue) -> str:
        if not isinstance(value, str):
            return f"{column} {operator} {self.parameter(value)}"
        # No text lies between one and its continuation with U+0000.
        start, nul, _ = value.partition("\0")
        if nul:
            operator = "<=" if operator.startswith("<") else ">"
        return f'{_text(column)} COLLATE "C" {operator} {self.parameter(start)}'

    def starts_with(self, column: str, text: str) -> str:
        return self._like(column, text, f"{_escaped(text)}%")

    def ends_with(self, column: str, text: str) -> str:
        return self._like(column, text, f"%{_escaped(text)}")

    def contains(self, column: str, text: str) -> str:
        return self._like(column, text, f"%{_escaped(text)}%")

    def _like(self, column: str, part: str, pattern: str) -> str:
        return f"{_text(column)} LIKE {self.parameter(pattern)}" if _is_storable(part) else _NEVER

    def has_any(self, column: str, values: Sequence[FilterValue], is_array: bool) -> str:
        values = [value for value in values if _is_storable(value)]
        if is_array:
            return _any([self._array(column, "@>", [value]) for value in values])
        return _any([f"CAST({column} AS jsonb) @> {self._list(column, [value])}" for value in values])

    def has_only(self, column: str, values: Sequence[FilterValue], is_array: bool) -> str:
        values = [value for value in values if _is_storable(value)]
        if is_array:
            return self._array(column, "<@", values)
        return f"CAST({column} AS jsonb) <@ {self._list(column, values)}"

    def _list(self, column: str, values: Sequence[FilterValue]) -> str:
        return f"CAST({self.placed(_json(list(values)))} AS jsonb)"

    def _array(self, column: str, operator: str, values: Sequence[FilterValue]) -> str:
        """An array of texts holds no numbers and no truth values."""
        texts = [value for value in values if isinstance(value, str)]
        if operator == "@>" and len(texts) < len(values):
            return _NEVER
        items = ", ".join(self.parameter(text) for text in texts)
        return f"CAST({column} AS text[]) {operator} CAST(ARRAY[{items}] AS text[])"


def _text(column: str) -> str:
    return f"CAST({column} AS text)"


def _is_storable(value: FilterValue) -> bool:
    return not isinstance(value, str) or "\0" not in value


def _escaped(text: str) -> str:
    """A text in LIKE, of which no character stands for others."""
    return re.sub(r"[\\%_]", r"\\\g<0>", text)


class _MysqlWriter(_Writer):
    """Compares texts by their bytes, beside the comparison that an index serves."""

    def parameter(self, value: FilterValue) -> str:
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        return self.placed(_plain(value))

    def equal(self, column: str, value: FilterValue) -> str:
        if not isinstance(value, str):
            return super().equal(column, value)
        return f"({super().equal(column, value)} AND {_bytes(column)} = {_bytes(self.parameter(value))})"

    def one_of(self, column: str, values: Sequence[FilterValue]) -> str:
        listed = super().one_of(column, values)
        if not isinstance(values[0], str):
            return listed
        exact = ", ".join(_bytes(self.parameter(value)) for value in values)
        return f"({listed} AND {_bytes(column)} IN ({exact}))"

    def same(self, left: str, right: str) -> str:
        return f"({super().same(left, right)} AND {_bytes(left)} = {_bytes(right)})"

    def ordered(self, column: str, operator: str, value: FilterValue) -> str:
        if not isinstance(value, str):
            return f"{column} {operator} {self.parameter(value)}"
        return f"{_bytes(column)} {operator} {_bytes(self.parameter(value))}"

    def starts_with(self, column: str, text: str) -> str:
        return f"LOCATE({_bytes(self.parameter(text))}, {_bytes(column)}) = 1"

    def ends_with(self, column: str, text: str) -> str:
        return f"RIGHT({_bytes(column)}, {len(text.encode())}) = {_bytes(self.parameter(text))}"

    def contains(self, column: str, text: str) -> str:
        return f"LOCATE({_bytes(self.parameter(text))}, {_bytes(column)}) > 0"

    def has_any(self, column: str, values: Sequence[FilterValue], is_array: bool) -> str:
        items = [item for value in values for item in _spellings(value)]
        return _any([f"JSON_CONTAINS({column}, {self.placed(item)})" for item in items])

    def has_only(self, column: str, values: Sequence[FilterValue], is_array: bool) -> str:
        items = ",".join(item for value in values for item in _spellings(value))
        return f"JSON_CONTAINS({self.placed('[' + items + ']')}, {column})"


def _spellings(value: FilterValue) -> List[str]:
    """Writes a value as JSON. MariaDB takes a character and the two escapes that stand for it for different texts."""
    text = _json(value)
    if all(one <= "\uffff" for one in text):
        return [text]
    halves = {one: one.encode("utf-16-be").hex() for one in text if one > "\uffff"}
    escapes = [text, text]
    for one, digits in halves.items():
        for at, pair in enumerate((digits, digits.upper())):
            escapes[at] = escapes[at].replace(one, f"\\u{pair[:4]}\\u{pair[4:]}")
    return [text, *escapes]


def _bytes(expression: str) -> str:
    return f"CAST(CONVERT({expression} USING utf8mb4) AS BINARY)"


_WRITERS: Mapping[str, Type[_Writer]] = {"sqlite": _SqliteWriter, "postgres": _PostgresWriter, "mysql": _MysqlWriter}
