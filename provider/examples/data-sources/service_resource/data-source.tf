data "service_resource" "first" {
  type = "billing/invoice"
  name = "INV-1"
}

output "amount_of_the_first" {
  value = jsondecode(data.service_resource.first.properties).amount
}
