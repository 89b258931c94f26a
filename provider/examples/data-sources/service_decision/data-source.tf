# The pipeline itself asserts who may do what: a check warns, a postcondition fails.
check "approvals" {
  data "service_decision" "bob_pays_small_invoices" {
    subject  = { type = "user", id = "bob" }
    action   = "pay"
    resource = { type = "billing/invoice", name = "INV-1" }
  }

  assert {
    condition     = data.service_decision.bob_pays_small_invoices.decision
    error_message = data.service_decision.bob_pays_small_invoices.reason
  }
}

data "service_decision" "nobody_pays_closed_invoices" {
  subject  = { type = "user", id = "bob" }
  action   = "pay"
  resource = { type = "billing/invoice", name = "INV-3" }
  context  = jsonencode({ mfa = true })

  lifecycle {
    postcondition {
      condition     = !self.decision
      error_message = "A closed invoice could be paid: ${self.reason}"
    }
  }
}
