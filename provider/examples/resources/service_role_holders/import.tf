import {
  to = service_role_holders.auditor
  id = "role/auditor"
}
