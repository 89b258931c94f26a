resource "service_group" "finance" {
  name = "finance"
}

resource "service_subject" "alice" {
  type = "user"
  id   = "alice"
}

resource "service_subject" "bob" {
  type = "user"
  id   = "bob"
}

# Whoever else is put into the group, by another stack or by hand, shows in the plan and is removed.
resource "service_group_members" "finance" {
  group = service_group.finance.path
  members = [
    { entity_type = "subject", entity = service_subject.alice.path },
    { entity_type = "subject", entity = service_subject.bob.path, expires_at = "2035-01-31T18:00:00Z" },
  ]
}
