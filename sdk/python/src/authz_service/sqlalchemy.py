"""Filters for SQLAlchemy: `select(Doc).where(filter_sqlalchemy(rows, columns, "postgres"))`."""

from __future__ import annotations

from typing import Any, Tuple

from sqlalchemy import Boolean, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.expression import ColumnElement

from ._filter_sql import FilterColumns, Param, SqlDialect, filter_template
from .filters import Filter

__all__ = ["filter_sqlalchemy"]


def filter_sqlalchemy(filter: Filter, columns: FilterColumns[Any], dialect: SqlDialect) -> ColumnElement:
    """Says a filter as an expression. Columns are those of tables and mapped classes, `Doc.owner`, or other expressions.

    Raises `InvalidConfig` for an attribute that has no column.
    """
    template = filter_template(filter, columns, dialect)
    values = tuple(
        bindparam(None, value.value, unique=True) if isinstance(value, Param) else _expression(value)
        for value in template.values
    )
    return _Condition(template.strings, values)


def _expression(column: Any) -> Any:
    return column.__clause_element__() if hasattr(column, "__clause_element__") else column


class _Condition(ColumnElement):
    inherit_cache = False
    type = Boolean()

    def __init__(self, strings: Tuple[str, ...], values: Tuple[Any, ...]) -> None:
        self.strings = strings
        self.values = values


def _compiled(condition: _Condition, compiler: Any, **options: Any) -> str:
    values = [compiler.process(value, **options) for value in condition.values]
    return condition.strings[0] + "".join(f"{value}{text}" for value, text in zip(values, condition.strings[1:]))


compiles(_Condition)(_compiled)
