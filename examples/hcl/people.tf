# Conditions, stored properties and tests are checked against what is declared of subjects and contexts.
resource "service_subject_type" "user" {
  name          = "user"
  properties    = { approval_limit = "number" }
  from_requests = [] # requests send none of them
}

resource "service_subject_type" "service" {
  name          = "service"
  description   = "Programs, which have no properties."
  properties    = {}
  from_requests = []
}

resource "service_context_attribute" "mfa" {
  name        = "mfa"
  type        = "boolean"
  description = "Whether the subject has shown a second factor."
}

resource "service_subject" "user" {
  for_each = {
    alice = { name = "Alice" }
    bob   = { name = "Bob", properties = { approval_limit = 10000 } }
    carol = { name = "Carol" }
    dave  = { name = "Dave" }
  }
  type       = "user"
  id         = each.key
  name       = each.value.name
  properties = can(each.value.properties) ? jsonencode(each.value.properties) : null
}

resource "service_subject" "reporting" {
  type = "service"
  id   = "reporting"
  name = "Nightly reports"
}

resource "service_group" "finance" {
  name        = "finance"
  description = "Everybody who works with invoices."
}

resource "service_group" "accounting" {
  name = "accounting"
}

resource "service_group" "engineering" {
  name = "engineering"
}

resource "service_group_membership" "accounting_in_finance" {
  group       = service_group.finance.path
  entity_type = "group"
  entity      = service_group.accounting.path
}

resource "service_group_membership" "user" {
  for_each = {
    alice = service_group.finance.path
    bob   = service_group.accounting.path
    carol = service_group.engineering.path
    dave  = service_group.engineering.path
  }
  group       = each.value
  entity_type = "subject"
  entity      = service_subject.user[each.key].path
}

resource "service_role_assignment" "group" {
  for_each = {
    finance     = [service_role.billing["clerk"].path, service_group.finance.path]
    accounting  = [service_role.billing["accountant"].path, service_group.accounting.path]
    engineering = [service_role.writer.path, service_group.engineering.path]
  }
  role        = each.value[0]
  entity_type = "group"
  entity      = each.value[1]
}

# An assignment may begin and end by itself.
resource "service_role_assignment" "dave_audits" {
  role        = service_role.auditor.path
  entity_type = "subject"
  entity      = service_subject.user["dave"].path
  starts_at   = "2026-01-01T08:00:00Z"
  expires_at  = "2099-01-31T18:00:00Z"
}
