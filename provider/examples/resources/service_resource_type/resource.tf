resource "service_application" "billing" {
  name = "billing"
}

resource "service_resource_type" "invoice" {
  application = service_application.billing.path
  name        = "invoice"
  actions     = ["read", "pay", "approve"]

  # Conditions that read these are type-checked by "terraform plan".
  properties = {
    amount = "number"
    status = "string"
  }
}
