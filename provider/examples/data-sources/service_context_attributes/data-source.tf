data "service_context_attributes" "all" {}

output "context_attributes" {
  value = { for attribute in data.service_context_attributes.all.items : attribute.name => attribute.type }
}
