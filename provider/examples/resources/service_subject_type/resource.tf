resource "service_subject_type" "user" {
  name       = "user"
  properties = { region = "string", approval_limit = "number" }
}
