resource "service_application" "billing" {
  name        = "billing"
  description = "Invoices and who may approve them."
}
