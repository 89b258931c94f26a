data "service_role_assignment" "dave" {
  address = "role_assignment/auditor//subject/user/dave"
}

output "dave_is_auditor_until" {
  value = data.service_role_assignment.dave.expires_at
}
