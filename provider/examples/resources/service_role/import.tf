import {
  to = service_role.accountant
  id = "role/billing/accountant"
}
