data "service_policy" "approve" {
  path = "billing/approve-within-limit"
}

output "approve_condition" {
  value = data.service_policy.approve.condition
}
