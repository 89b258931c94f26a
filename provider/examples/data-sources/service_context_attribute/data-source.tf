data "service_context_attribute" "mfa" {
  name = "mfa"
}

output "type_of_mfa" {
  value = data.service_context_attribute.mfa.type
}
