data "service_subject_types" "all" {}

output "subject_types" {
  value = data.service_subject_types.all.items[*].name
}
