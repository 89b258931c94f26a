# The tenant of ../tenant in HCL. SERVICE_CLOUD_URL, SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET come from the environment.
terraform {
  required_providers {
    service = {
      source  = "authz-service/service"
      version = "~> 0.1"
    }
  }
}

provider "service" {
  stack = "acme" # who owns what is declared here: apply changes and removes only this stack's records
}

# Roles and policies without an application belong to the tenant and may span applications.
resource "service_role" "auditor" {
  name          = "auditor"
  description   = "Reads everything that has to do with money."
  from_requests = false
}

resource "service_policy" "audit_invoices" {
  name          = "audit-invoices"
  description   = "Auditors see invoices with a second factor at hand."
  effect        = "ALLOW"
  resource_type = service_resource_type.invoice.path
  actions       = ["read"]
  modifiers     = { mfa_required = true }
}

resource "service_policy_assignment" "audit_invoices" {
  policy      = service_policy.audit_invoices.path
  entity_type = "role"
  entity      = service_role.auditor.path
}
