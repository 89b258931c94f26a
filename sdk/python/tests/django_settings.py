"""Django's settings, which a process has once."""


def configure_django() -> None:
    import django
    from django.conf import settings

    if settings.configured:
        return
    settings.configure(
        ROOT_URLCONF="authz_test_urls",
        ALLOWED_HOSTS=["*"],
        SECRET_KEY="only for tests",
        AUTHZ_CLIENT="authz_test_urls.client",
        AUTHZ_QUESTION="authz_test_urls.question",
        INSTALLED_APPS=["rest_framework"],
        REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
        LOGGING_CONFIG=None,
    )
    django.setup()
