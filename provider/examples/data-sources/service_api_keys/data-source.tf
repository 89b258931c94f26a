data "service_api_keys" "all" {}

output "key_names" {
  value = data.service_api_keys.all.items[*].name
}
