data "service_directory" "okta" {
  name = "okta"
}

output "type_of_okta_people" {
  value = data.service_directory.okta.subject_type
}
