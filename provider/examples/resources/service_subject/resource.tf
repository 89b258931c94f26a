resource "service_subject" "bob" {
  type       = "user"
  id         = "bob"
  name       = "Bob"
  properties = jsonencode({ approval_limit = 10000 })
}
