data "service_resources" "invoices" {
  type = "billing/invoice"
}

output "invoice_names" {
  value = data.service_resources.invoices.items[*].name
}
