"""Query builders select the rows that `filter_sql` does: of each condition of the vectors, among hostile rows, in SQLite."""

import json
import re
import sqlite3
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from authz_service import FilterColumns, InvalidConfig, filter_sql
from authz_service.filters import Filter

from tests.django_settings import configure_django

VECTORS = json.loads((Path(__file__).parents[3] / "test" / "vectors" / "filters.json").read_text())
KNOWN = {"parents.folder", *(f"properties.{name}" for name in "nktubl")}
REQUESTS = [case["call"]["request"] for case in VECTORS["cases"] if case["call"]["op"] == "filterSql"]
CONDITIONS = [
    request["filter"]["condition"]
    for request in REQUESTS
    if request["filter"]["kind"] == "some"
    and set(re.findall(r"[a-z]+\.\w+", json.dumps(request["filter"]))) <= KNOWN
]
TEXTS = [None, "", "a", "A", "b", "a'b", "a_", "ax", "a%", "100%", "\\", "z", "ä", "\U0001f600", "a\0", "07", "7", "1", "-.5"]
NUMBERS = [None, 0, 1, -1, 0.5, 2, 32767, -32768, 2**31, 2**40, 2**53, 1e300]
LISTS = [None, "[]", '["a"]', '["A"]', '["a", "b"]', "[1]", '["1"]', "[true]", '["a", null]']
COLUMNS = ["id", "name", "n", "k", "t", "u", "b", "l", "folder"]


def hostile_rows() -> Iterator[Tuple[Any, ...]]:
    for at in range(240):
        text, other = TEXTS[at % len(TEXTS)], TEXTS[at // 12 % len(TEXTS)]
        number, second = NUMBERS[at % len(NUMBERS)], NUMBERS[at // 7 % len(NUMBERS)]
        truth, items = [None, 0, 1][at % 3], LISTS[at % len(LISTS)]
        yield (at, text or "r", number, second, text, other, truth, items, other)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = str(tmp_path_factory.mktemp("filters") / "rows.db")
    with sqlite3.connect(path) as connection:
        texts = "name TEXT COLLATE NOCASE, n, k, t TEXT COLLATE NOCASE, u TEXT"
        connection.execute(f"CREATE TABLE doc (id INTEGER PRIMARY KEY, {texts}, b, l, folder)")
        connection.executemany(f"INSERT INTO doc VALUES ({', '.join('?' * len(COLUMNS))})", hostile_rows())
    connection.close()
    yield path


def selected(database: str, filter: Filter) -> List[int]:
    columns = FilterColumns("doc.name", {name: f"doc.{name}" for name in "nktubl"}, {"folder": "doc.folder"})
    where = filter_sql(filter, columns, "sqlite")
    connection = sqlite3.connect(database)
    try:
        return [id for (id,) in connection.execute(f"SELECT id FROM doc WHERE {where.sql} ORDER BY id", where.params)]
    finally:
        connection.close()


def mapped(column: Any) -> "FilterColumns[Any]":
    return FilterColumns(column("name"), {name: column(name) for name in "nktubl"}, {"folder": column("folder")})


FILTERS = [Filter("some", condition) for condition in CONDITIONS] + [Filter("all", None), Filter("none", None)]


@pytest.mark.parametrize("rows", FILTERS)
def test_sqlalchemy(database: str, rows: Filter) -> None:
    alchemy = pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")
    from authz_service.sqlalchemy import filter_sqlalchemy

    doc = alchemy.Table("doc", alchemy.MetaData(), *(alchemy.Column(column) for column in COLUMNS))
    engine = alchemy.create_engine(f"sqlite:///{database}")
    where = filter_sqlalchemy(rows, mapped(lambda column: doc.c[column]), "sqlite")
    with engine.connect() as connection:
        found = [row[0] for row in connection.execute(doc.select().where(where, doc.c.id >= 0).order_by(doc.c.id))]
    engine.dispose()
    assert found == selected(database, rows)


@pytest.mark.parametrize("rows", FILTERS)
def test_django(database: str, rows: Filter) -> None:
    model = django_model(database)
    from authz_service.django_filter import filter_q

    where = filter_q(rows, mapped(lambda column: column), "sqlite")
    found = [row.id for row in model.objects.using("rows").filter(where, id__gte=0).order_by("id")]
    assert found == selected(database, rows)
    others = set(range(240)) - set(found)
    assert {row.id for row in model.objects.using("rows").exclude(where)} <= others


def test_django_refuses_another_database_and_another_table(database: str) -> None:
    model = django_model(database)
    from authz_service.django_filter import filter_q

    some = Filter("some", {"op": "eq", "attribute": "name", "value": "a"})
    with pytest.raises(InvalidConfig, match="for postgres, and the database is sqlite"):
        list(model.objects.using("rows").filter(filter_q(some, FilterColumns("name"), "postgres")))
    with pytest.raises(InvalidConfig, match='"folder__name" is of another table'):
        filter_q(some, FilterColumns("folder__name"), "sqlite")
    with pytest.raises(InvalidConfig, match='reads "name"'):
        filter_q(some, FilterColumns(), "sqlite")


_MODELS: Dict[str, Any] = {}


def django_model(database: str) -> Any:
    pytest.importorskip("django", reason="Django is not installed")
    pytest.importorskip("rest_framework", reason="Django's REST framework is not installed")
    configure_django()
    from django.db import connections, models

    if not _MODELS:
        texts = {name: models.TextField(null=True) for name in ["name", "t", "u", "l", "folder"]}
        numbers = {name: models.FloatField(null=True) for name in ["n", "k"]}
        meta = type("Meta", (), {"app_label": "rows", "db_table": "doc", "managed": False})
        fields = {**texts, **numbers, "b": models.BooleanField(null=True), "id": models.IntegerField(primary_key=True)}
        _MODELS["doc"] = type("Doc", (models.Model,), {**fields, "Meta": meta, "__module__": __name__})
    if "rows" not in connections.databases:
        template = connections.databases["default"] if "default" in connections.databases else {}
        connections.databases["rows"] = {**template, "ENGINE": "django.db.backends.sqlite3", "NAME": database}
    return _MODELS["doc"]
