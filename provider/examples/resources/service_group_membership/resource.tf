resource "service_group" "finance" {
  name = "finance"
}

resource "service_group" "accounting" {
  name = "accounting"
}

resource "service_subject" "alice" {
  type = "user"
  id   = "alice"
}

resource "service_group_membership" "alice" {
  group       = service_group.finance.path
  entity_type = "subject"
  entity      = service_subject.alice.path
}

# The members of a nested group are members of the outer one.
resource "service_group_membership" "accounting" {
  group       = service_group.finance.path
  entity_type = "group"
  entity      = service_group.accounting.path
}
