resource "service_application" "billing" {
  name = "billing"
}

resource "service_resource_type" "invoice" {
  application = service_application.billing.path
  name        = "invoice"
  actions     = ["read", "pay", "approve"]
  properties  = { amount = "number", status = "string" }
}

resource "service_resource" "first" {
  type = service_resource_type.invoice.path
  name = "INV-1"
}

# Covers a whole type, under a condition.
resource "service_policy" "approve_small" {
  application   = service_application.billing.path
  name          = "approve-small"
  effect        = "ALLOW"
  resource_type = service_resource_type.invoice.path
  actions       = ["approve", "pay"]
  condition     = "resource.properties.amount < 10000"
}

# Covers single resources, from the office and with a second factor.
resource "service_policy" "pay_first" {
  application = service_application.billing.path
  name        = "pay-first"
  effect      = "ALLOW"
  resources   = [{ resource = service_resource.first.path, actions = ["pay"] }]

  modifiers = {
    mfa_required = true
    ip_ranges    = ["10.0.0.0/8"]
    time_windows = [{
      days  = ["mon", "tue", "wed", "thu", "fri"]
      start = "08:00"
      end   = "18:00"
      zone  = "Europe/Berlin"
    }]
  }
}

# Outranks every policy of lower priority.
resource "service_policy" "closed_is_closed" {
  application   = service_application.billing.path
  name          = "closed-is-closed"
  effect        = "DENY"
  priority      = 100
  resource_type = service_resource_type.invoice.path
  actions       = ["pay", "approve"]
  condition     = "has(resource.properties.status) && resource.properties.status == \"closed\""
}

# Denies whoever has no second factor.
resource "service_policy" "pay_with_second_factor" {
  application   = service_application.billing.path
  name          = "pay-with-second-factor"
  effect        = "DENY"
  priority      = 50
  resource_type = service_resource_type.invoice.path
  actions       = ["pay"]
  unless        = { mfa_required = true }
}
