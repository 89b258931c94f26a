data "service_subject_type" "user" {
  name = "user"
}

output "properties_of_users" {
  value = keys(data.service_subject_type.user.properties)
}
