resource "service_role" "auditor" {
  name = "auditor"
}

resource "service_group" "audit" {
  name = "audit"
}

# Whoever else is given the role shows in the plan and loses it.
resource "service_role_holders" "auditor" {
  role    = service_role.auditor.path
  holders = [{ entity_type = "group", entity = service_group.audit.path }]
}
