import {
  to = service_resource_type.invoice
  id = "resource_type/billing/invoice"
}
