data "service_roles" "billing" {
  application = "billing"
}

output "roles_of_billing" {
  value = data.service_roles.billing.items[*].name
}
