data "service_group_memberships" "finance" {
  group = "finance"
}

output "members_of_finance" {
  value = data.service_group_memberships.finance.items[*].entity
}
