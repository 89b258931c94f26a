data "service_application" "billing" {
  name = "billing"
}

output "billing_description" {
  value = data.service_application.billing.description
}
