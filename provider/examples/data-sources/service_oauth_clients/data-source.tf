data "service_oauth_clients" "all" {}

output "client_names" {
  value = data.service_oauth_clients.all.items[*].name
}
