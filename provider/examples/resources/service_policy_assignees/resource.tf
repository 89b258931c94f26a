resource "service_application" "billing" {
  name = "billing"
}

resource "service_resource_type" "invoice" {
  application = service_application.billing.path
  name        = "invoice"
  actions     = ["read"]
}

resource "service_role" "clerk" {
  application = service_application.billing.path
  name        = "clerk"
}

resource "service_policy" "read" {
  application   = service_application.billing.path
  name          = "read"
  effect        = "ALLOW"
  resource_type = service_resource_type.invoice.path
  actions       = ["read"]
}

# Whoever else is given the policy shows in the plan and loses it.
resource "service_policy_assignees" "read" {
  policy    = service_policy.read.path
  assignees = [{ entity_type = "role", entity = service_role.clerk.path }]
}
