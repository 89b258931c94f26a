data "service_subject" "bob" {
  type = "user"
  id   = "bob"
}

output "approval_limit_of_bob" {
  value = jsondecode(data.service_subject.bob.properties).approval_limit
}
