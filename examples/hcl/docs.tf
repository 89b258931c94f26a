resource "service_application" "docs" {
  name        = "docs"
  description = "The handbook."
}

resource "service_resource_type" "page" {
  application   = service_application.docs.path
  name          = "page"
  actions       = ["read", "edit"]
  from_requests = []
}

resource "service_resource" "page" {
  for_each = toset(["handbook", "salaries"])
  type     = service_resource_type.page.path
  name     = each.key
}

resource "service_role" "writer" {
  application   = service_application.docs.path
  name          = "writer"
  from_requests = false
}

resource "service_policy" "edit_handbook" {
  application = service_application.docs.path
  name        = "edit-handbook"
  effect      = "ALLOW"
  resources   = [{ resource = service_resource.page["handbook"].path, actions = ["read", "edit"] }]
}

resource "service_policy_assignment" "edit_handbook" {
  policy      = service_policy.edit_handbook.path
  entity_type = "role"
  entity      = service_role.writer.path
}

resource "service_policy" "edit_from_office" {
  application = service_application.docs.path
  name        = "edit-from-office"
  effect      = "ALLOW"
  resources   = [{ resource = service_resource.page["salaries"].path, actions = ["*"] }]

  modifiers = {
    ip_ranges = ["10.0.0.0/8"]
    time_windows = [{
      days  = ["mon", "tue", "wed", "thu", "fri"]
      start = "08:00"
      end   = "18:00"
      zone  = "Europe/Berlin"
    }]
  }
}

resource "service_policy_assignment" "edit_from_office" {
  policy      = service_policy.edit_from_office.path
  entity_type = "subject"
  entity      = service_subject.user["carol"].path
}
