data "service_subjects" "users" {
  type = "user"
}

output "user_ids" {
  value = data.service_subjects.users.items[*].id
}
