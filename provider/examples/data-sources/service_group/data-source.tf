data "service_group" "finance" {
  name = "finance"
}

output "finance_since" {
  value = data.service_group.finance.created_at
}
