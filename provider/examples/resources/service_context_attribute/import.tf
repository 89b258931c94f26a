import {
  to = service_context_attribute.amount
  id = "context_attribute/amount"
}
