data "service_context_attribute" "amount" {
  name = "amount"
}

output "type_of_amount" {
  value = data.service_context_attribute.amount.type
}
