data "service_group_membership" "alice" {
  group       = "finance"
  entity_type = "subject"
  entity      = "user/alice"
}

output "alice_is_in_finance_since" {
  value = data.service_group_membership.alice.created_at
}
