data "service_policy_assignment" "clerks" {
  policy      = "billing/read-invoices"
  entity_type = "role"
  entity      = "billing/clerk"
}

output "clerks_read_since" {
  value = data.service_policy_assignment.clerks.created_at
}
