data "service_applications" "all" {}

output "application_names" {
  value = data.service_applications.all.items[*].name
}
