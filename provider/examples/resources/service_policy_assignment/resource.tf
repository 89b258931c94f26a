resource "service_application" "billing" {
  name = "billing"
}

resource "service_resource_type" "invoice" {
  application = service_application.billing.path
  name        = "invoice"
  actions     = ["read", "pay", "approve"]
}

resource "service_policy" "read" {
  application   = service_application.billing.path
  name          = "read"
  effect        = "ALLOW"
  resource_type = service_resource_type.invoice.path
  actions       = ["read"]
}

resource "service_role" "clerk" {
  application = service_application.billing.path
  name        = "clerk"
}

resource "service_subject" "reporting" {
  type = "service"
  id   = "reporting"
}

resource "service_policy_assignment" "clerks" {
  policy      = service_policy.read.path
  entity_type = "role"
  entity      = service_role.clerk.path
}

resource "service_policy_assignment" "reporting" {
  policy      = service_policy.read.path
  entity_type = "subject"
  entity      = service_subject.reporting.path
}
