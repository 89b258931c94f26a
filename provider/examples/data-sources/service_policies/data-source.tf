data "service_policies" "denying" {
  effect = "DENY"
}

output "denying_policies" {
  value = data.service_policies.denying.items[*].path
}
