"""Serves invoices to those who may read them."""

import os
import sqlite3
import sys
from typing import Any, Dict
from wsgiref.simple_server import make_server

from authz_service import Client, Filter, FilterColumns, Resource, ServiceError, Subject, filter_sql
from authz_service.django import require
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.urls import path

settings.configure(ROOT_URLCONF=sys.modules[__name__], ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="nothing is signed here")

client = Client(os.environ["AUTHZ_URL"])


# Stands for your own database.
ROWS = sqlite3.connect(":memory:", check_same_thread=False)
ROWS.execute("CREATE TABLE invoice (name TEXT PRIMARY KEY, owner TEXT)")
OWNERS = ["alice", "carol", "bob", "carol", "carol"]
ROWS.executemany("INSERT INTO invoice VALUES (?, ?)", [(f"INV-{at + 1}", owner) for at, owner in enumerate(OWNERS)])

COLUMNS = FilterColumns("invoice.name", {"owner": "invoice.owner"})
PAGE_SIZE = 2


def page_of(rows: Filter, after: str) -> Dict[str, Any]:
    """A page of the invoices that a filter selects, which begins after one of them, and the number of all."""
    where = filter_sql(rows, COLUMNS, "sqlite")
    page = f"SELECT name FROM invoice WHERE {where.sql} AND name > ? ORDER BY name LIMIT ?"
    found = [name for (name,) in ROWS.execute(page, (*where.params, after, PAGE_SIZE + 1))]
    (count,) = ROWS.execute(f"SELECT count(*) FROM invoice WHERE {where.sql}", where.params).fetchone()
    invoices = found[:PAGE_SIZE]
    return {"invoices": invoices, "count": count, "next": invoices[-1] if len(found) > PAGE_SIZE else None}


def user_of(request):
    """X-User stands for the login that an application has."""
    name = request.headers.get("x-user")
    return Subject("user", name) if name else None


def invoice_of(request):
    return Resource("invoice", request.resolver_match.kwargs["id"])


@require(client, user_of, "read", invoice_of)
def show_invoice(request, id):
    return HttpResponse(f"Invoice {id}\n", content_type="text/plain")


def list_invoices(request):
    user = user_of(request)
    if user is None:
        return HttpResponse(status=401)
    try:
        rows = client.filter_rows(user, "read", "invoice")
    except ServiceError:
        return HttpResponse(status=503)
    return JsonResponse(page_of(rows, request.GET.get("after", "")))


urlpatterns = [path("invoices", list_invoices), path("invoices/<id>", show_invoice)]

if __name__ == "__main__":
    host, _, port = os.environ["LISTEN"].rpartition(":")
    server = make_server(host, int(port), get_wsgi_application())
    print(f"listening on http://{host}:{server.server_port}", file=sys.stderr)
    server.serve_forever()
