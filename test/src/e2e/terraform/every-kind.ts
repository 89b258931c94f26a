/** A configuration with a resource of every kind, every field of it said somewhere. */
export const EVERY_KIND = `
resource "service_application" "billing" {
  name        = "billing"
  description = "Money"
}
resource "service_resource_type" "invoice" {
  application = service_application.billing.path
  name        = "invoice"
  actions     = ["read", "approve"]
  properties  = { amount = "number", tags = "list" }
}
resource "service_resource" "invoice" {
  for_each   = { "INV-1" = 120, "INV/2" = 20000 }
  type       = service_resource_type.invoice.path
  name       = each.key
  properties = jsonencode({ tags = ["a", "b"], amount = each.value })
}
resource "service_resource_type" "folder" {
  application = service_application.billing.path
  name        = "folder"
  actions     = ["list"]
  parents     = [{ type = "billing/folder", property = "in" }]
}
resource "service_resource" "folder" {
  type = service_resource_type.folder.path
  name = "2026"
}
resource "service_resource" "month" {
  type    = service_resource_type.folder.path
  name    = "March"
  parents = [service_resource.folder.path]
}
resource "service_subject_type" "user" {
  name       = "user"
  properties = { level = "number", nested = "map" }
}
resource "service_context_attribute" "amount" {
  name        = "amount"
  type        = "number"
  description = "Euros"
}
resource "service_directory" "okta" {
  name           = "okta"
  properties     = { level = "employeeNumber" }
  groups         = { prefix = "authz-" }
  removals       = "5%"
  groups_emptied = 3
}
resource "service_subject" "alice" {
  type       = "user"
  id         = "alice"
  name       = "Alice"
  properties = jsonencode({ level = 3, nested = { z = null, a = [true, 1.5] } })
}
resource "service_subject" "robot" {
  type = "service"
  id   = "nightly robot"
}
resource "service_application" "shipping" { name = "shipping" }
resource "service_role" "accountant" {
  application = service_application.billing.path
  name        = "accountant"
  shared_with = [service_application.shipping.path]
}
resource "service_role" "auditor" {
  name          = "auditor"
  from_requests = false
}
resource "service_group" "finance" { name = "finance" }
resource "service_group" "accounting" { name = "accounting" }
resource "service_group_membership" "nested" {
  group       = service_group.finance.path
  entity_type = "group"
  entity      = service_group.accounting.path
}
resource "service_group_membership" "alice" {
  group       = service_group.accounting.path
  entity_type = "subject"
  entity      = service_subject.alice.path
  starts_at   = "2026-01-31T18:00:00+01:00"
  expires_at  = "2099-01-31T18:00:00+01:00"
}
resource "service_role_assignment" "accountant" {
  role        = service_role.accountant.path
  entity_type = "group"
  entity      = service_group.finance.path
}
resource "service_role_assignment" "auditor" {
  role        = service_role.auditor.path
  entity_type = "subject"
  entity      = service_subject.alice.path
  resource    = service_resource.folder.path
}
resource "service_policy" "folders" {
  name      = "folders"
  effect    = "ALLOW"
  resources = [{ resource = service_resource.folder.path, actions = ["list"], below = true }]
  condition = "subject.in_group(\\"\${service_group.finance.path}\\") && subject.has_role('\${service_role.auditor.path}') || resource.name == \\"$\${x}\\""
}
resource "service_policy" "approve" {
  application   = service_application.billing.path
  name          = "approve"
  effect        = "ALLOW"
  priority      = 10
  resource_type = service_resource_type.invoice.path
  actions       = ["read", "approve"]
  condition     = "resource.properties.amount < 10000"
  modifiers = {
    ip_ranges    = ["10.0.0.0/8", "192.168.0.1"]
    time_windows = [{ start = "00:00", end = "00:00", days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] }, { start = "22:00", end = "06:00", zone = "Europe/Berlin" }]
    mfa_required = true
  }
}
resource "service_policy" "single" {
  name      = "single"
  effect    = "DENY"
  resources = [for resource in service_resource.invoice : { resource = resource.path, actions = ["approve", "read"] }]
}
resource "service_policy_assignment" "approve" {
  policy      = service_policy.approve.path
  entity_type = "role"
  entity      = service_role.accountant.path
}
resource "service_policy_assignment" "single" {
  policy      = service_policy.single.path
  entity_type = "subject"
  entity      = service_subject.robot.path
  expires_at  = "2099-12-31T00:00:00Z"
}
resource "service_access_rule" "approvers" {
  name = "approvers"
  mode = "warn"
  when = "context.mfa == true"
  only = {
    subjects  = { type = "user", groups = [service_group.finance.path], where = "subject.id != \\"mallory\\"" }
    actions   = ["approve"]
    resources = { types = [service_resource_type.invoice.path], named = [service_resource.folder.path], below = true }
  }
  suspended_until   = "2099-12-31T00:00:00Z"
  suspension_reason = "An audit"
}
resource "service_api_key" "agent" {
  name       = "agent"
  scopes     = ["decisions", "bundle"]
  expires_at = "2099-12-31T00:00:00Z"
}
resource "service_oauth_client" "pipeline" {
  name        = "pipeline"
  scopes      = ["records:read", "records:write"]
  description = "CI"
  limits      = { stacks = ["billing"], applications = [service_application.billing.path], priority_max = 100 }
}`;

/** The addresses that it makes, in order. */
export const EVERY_ADDRESS = [
  'access_rule/approvers',
  'api_key/agent',
  'application/billing',
  'application/shipping',
  'context_attribute/amount',
  'directory/okta',
  'group/accounting',
  'group/finance',
  'group_membership/accounting//subject/user/alice',
  'group_membership/finance//group/accounting',
  'oauth_client/pipeline',
  'policy/billing/approve',
  'policy/folders',
  'policy/single',
  'policy_assignment/billing/approve//role/billing/accountant',
  'policy_assignment/single//subject/service/nightly%20robot',
  'resource/billing/folder/2026',
  'resource/billing/folder/March',
  'resource/billing/invoice/INV%2F2',
  'resource/billing/invoice/INV-1',
  'resource_type/billing/folder',
  'resource_type/billing/invoice',
  'role/auditor',
  'role/billing/accountant',
  'role_assignment/auditor//subject/user/alice//billing/folder/2026',
  'role_assignment/billing/accountant//group/finance',
  'subject/service/nightly%20robot',
  'subject/user/alice',
  'subject_type/user',
];
