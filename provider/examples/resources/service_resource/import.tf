import {
  to = service_resource.invoice["INV-1"]
  id = "resource/billing/invoice/INV-1"
}
