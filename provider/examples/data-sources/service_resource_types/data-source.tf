data "service_resource_types" "billing" {
  application = "billing"
}

output "types_of_billing" {
  value = data.service_resource_types.billing.items[*].name
}
