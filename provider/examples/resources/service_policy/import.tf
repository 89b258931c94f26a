import {
  to = service_policy.approve_small
  id = "policy/billing/approve-small"
}
