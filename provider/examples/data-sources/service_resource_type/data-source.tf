data "service_resource_type" "invoice" {
  application = "billing"
  name        = "invoice"
}

output "invoice_actions" {
  value = data.service_resource_type.invoice.actions
}
