"""Serves invoices to those who may read them."""

import os
import sys
from wsgiref.simple_server import make_server

from authz_service import Client, Resource, Subject
from authz_service.django import require
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path

settings.configure(ROOT_URLCONF=sys.modules[__name__], ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="nothing is signed here")

client = Client(os.environ["AUTHZ_URL"])


def user_of(request):
    """X-User stands for the login that an application has."""
    name = request.headers.get("x-user")
    return Subject("user", name) if name else None


def invoice_of(request):
    return Resource("invoice", request.resolver_match.kwargs["id"])


@require(client, user_of, "read", invoice_of)
def show_invoice(request, id):
    return HttpResponse(f"Invoice {id}\n", content_type="text/plain")


urlpatterns = [path("invoices/<id>", show_invoice)]

if __name__ == "__main__":
    host, _, port = os.environ["LISTEN"].rpartition(":")
    server = make_server(host, int(port), get_wsgi_application())
    print(f"listening on http://{host}:{server.server_port}", file=sys.stderr)
    server.serve_forever()
