import {
  to = service_role_assignment.finance
  id = "role_assignment/auditor//group/finance"
}
