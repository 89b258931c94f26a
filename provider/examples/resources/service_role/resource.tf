resource "service_application" "billing" {
  name = "billing"
}

# A role of an application …
resource "service_role" "accountant" {
  application = service_application.billing.path
  name        = "accountant"
}

# … and one of the tenant, which may span applications.
resource "service_role" "auditor" {
  name        = "auditor"
  description = "Reads everything that has to do with money."
}
