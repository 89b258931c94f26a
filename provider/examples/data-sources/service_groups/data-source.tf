data "service_groups" "all" {}

output "group_names" {
  value = data.service_groups.all.items[*].name
}
