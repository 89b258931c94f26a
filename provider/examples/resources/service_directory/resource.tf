resource "service_directory" "okta" {
  name       = "okta"
  properties = { department = "department" }
  groups     = { prefix = "authz-" }
}
