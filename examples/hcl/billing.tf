resource "service_application" "billing" {
  name        = "billing"
  description = "Invoices and who may approve them."
}

resource "service_resource_type" "invoice" {
  application = service_application.billing.path
  name        = "invoice"
  actions     = ["read", "pay", "approve", "delete"]
  properties  = { amount = "number", status = "string" }
  max_age     = "10m"
}

resource "service_resource" "invoice" {
  for_each = {
    INV-1 = { amount = 120, status = "open" }
    INV-2 = { amount = 25000, status = "open" }
    INV-3 = { amount = 80, status = "closed" }
  }
  type       = service_resource_type.invoice.path
  name       = each.key
  properties = jsonencode(each.value)
}

resource "service_role" "billing" {
  for_each      = toset(["clerk", "accountant"])
  application   = service_application.billing.path
  name          = each.key
  from_requests = false # requests cannot name it for their subject
}

resource "service_policy" "read_invoices" {
  application   = service_application.billing.path
  name          = "read-invoices"
  effect        = "ALLOW"
  resource_type = service_resource_type.invoice.path # also covers invoices that no record names
  actions       = ["read"]
}

resource "service_policy" "approve_within_limit" {
  application   = service_application.billing.path
  name          = "approve-within-limit"
  effect        = "ALLOW"
  resource_type = service_resource_type.invoice.path
  actions       = ["approve", "pay"]
  condition     = "resource.properties.amount <= subject.properties.approval_limit"
}

resource "service_policy" "closed_is_closed" {
  application   = service_application.billing.path
  name          = "closed-is-closed"
  description   = "Outranks every policy of lower priority; at the same priority DENY wins."
  effect        = "DENY"
  priority      = 100
  resource_type = service_resource_type.invoice.path
  actions       = ["pay", "approve", "delete"]
  condition     = "has(resource.properties.status) && resource.properties.status == \"closed\""
}

resource "service_policy_assignment" "billing" {
  for_each = {
    clerks_read         = [service_policy.read_invoices.path, "role", service_role.billing["clerk"].path]
    reports_read        = [service_policy.read_invoices.path, "subject", service_subject.reporting.path]
    accountants_approve = [service_policy.approve_within_limit.path, "role", service_role.billing["accountant"].path]
    closed              = [service_policy.closed_is_closed.path, "group", service_group.finance.path]
  }
  policy      = each.value[0]
  entity_type = each.value[1]
  entity      = each.value[2]
}
