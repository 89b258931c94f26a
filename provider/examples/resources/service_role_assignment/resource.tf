resource "service_role" "auditor" {
  name = "auditor"
}

resource "service_group" "finance" {
  name = "finance"
}

resource "service_subject" "dave" {
  type = "user"
  id   = "dave"
}

resource "service_role_assignment" "finance" {
  role        = service_role.auditor.path
  entity_type = "group"
  entity      = service_group.finance.path
}

# An assignment may end by itself.
resource "service_role_assignment" "dave" {
  role        = service_role.auditor.path
  entity_type = "subject"
  entity      = service_subject.dave.path
  expires_at  = "2099-01-31T18:00:00Z"
}
