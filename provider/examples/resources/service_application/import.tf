import {
  to = service_application.billing
  id = "application/billing"
}
