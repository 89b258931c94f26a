resource "service_context_attribute" "amount" {
  name        = "amount"
  type        = "number"
  description = "What is to be paid, in euros."
}
