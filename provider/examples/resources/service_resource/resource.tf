resource "service_application" "billing" {
  name = "billing"
}

resource "service_resource_type" "invoice" {
  application = service_application.billing.path
  name        = "invoice"
  actions     = ["read", "pay", "approve"]
}

resource "service_resource" "invoice" {
  for_each = {
    "INV-1" = { amount = 120, status = "open" }
    "INV-2" = { amount = 25000, status = "open" }
  }

  type       = service_resource_type.invoice.path
  name       = each.key
  properties = jsonencode(each.value)
}
