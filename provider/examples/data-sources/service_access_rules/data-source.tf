data "service_access_rules" "all" {}

output "rules" {
  value = data.service_access_rules.all.items[*].name
}
