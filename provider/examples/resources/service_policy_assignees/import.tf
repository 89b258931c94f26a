import {
  to = service_policy_assignees.read
  id = "policy/billing/read"
}
