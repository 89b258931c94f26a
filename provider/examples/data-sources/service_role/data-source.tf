data "service_role" "accountant" {
  application = "billing"
  name        = "accountant"
}

output "accountant_owner" {
  value = data.service_role.accountant.managed_by
}
