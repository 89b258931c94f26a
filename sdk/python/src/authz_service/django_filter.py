"""Filters for Django: `Doc.objects.filter(filter_q(rows, columns, "postgres"))`."""

from __future__ import annotations

from typing import Any, List, Tuple

from django.db.models import BooleanField, Expression, F, Q, Value

from ._filter_sql import FilterColumns, Param, SqlDialect, filter_template
from .errors import InvalidConfig
from .filters import Filter

__all__ = ["filter_q"]

_VENDORS = {"postgres": "postgresql", "mysql": "mysql", "sqlite": "sqlite"}


def filter_q(filter: Filter, columns: FilterColumns[Any], dialect: SqlDialect) -> Q:
    """Says a filter as a `Q`. Columns are fields of the model, `owner` or `folder_id`, or expressions.

    Raises `InvalidConfig` for an attribute that has no column, and for a field of another table: its join would leave out rows.
    """
    template = filter_template(filter, columns, dialect)
    sources = [Value(value.value) if isinstance(value, Param) else _field(value) for value in template.values]
    return Q(_Condition(template.strings, sources, dialect))


def _field(column: Any) -> Any:
    if isinstance(column, str) and "__" in column:
        raise InvalidConfig(f'The field "{column}" is of another table: give one of the model itself.')
    return F(column) if isinstance(column, str) else column


class _Condition(Expression):
    conditional = True

    def __init__(self, strings: Tuple[str, ...], sources: List[Any], dialect: SqlDialect) -> None:
        super().__init__(output_field=BooleanField())
        self.strings = strings
        self.sources = sources
        self.dialect = dialect

    def get_source_expressions(self) -> List[Any]:
        return self.sources

    def set_source_expressions(self, sources: List[Any]) -> None:
        self.sources = sources

    def as_sql(self, compiler: Any, connection: Any) -> Tuple[str, List[Any]]:
        if connection.vendor != _VENDORS[self.dialect]:
            raise InvalidConfig(f'The filter is for {self.dialect}, and the database is {connection.vendor}.')
        sql, params = self.strings[0], []
        for source, text in zip(self.sources, self.strings[1:]):
            said, given = compiler.compile(source)
            sql += f"{said}{text}"
            params.extend(given)
        return sql, params
