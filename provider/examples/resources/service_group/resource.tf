resource "service_group" "finance" {
  name        = "finance"
  description = "Everybody who works with invoices."
}
