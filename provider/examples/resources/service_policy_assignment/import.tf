import {
  to = service_policy_assignment.clerks
  id = "policy_assignment/billing/read//role/billing/clerk"
}
