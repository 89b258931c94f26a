data "service_role_assignments" "writers" {
  role = "docs/writer"
}

output "writers" {
  value = data.service_role_assignments.writers.items[*].entity
}
