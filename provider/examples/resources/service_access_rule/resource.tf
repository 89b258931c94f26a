resource "service_application" "payroll" {
  name = "payroll"
}

resource "service_resource_type" "payslip" {
  application = service_application.payroll.path
  name        = "payslip"
  actions     = ["read", "submit", "approve"]
}

resource "service_group" "oncall" {
  name = "oncall"
}

# What may never be, whoever changes what.
resource "service_access_rule" "no_externals" {
  name = "no-externals-in-payroll"

  never = {
    subjects = {
      type  = "user"
      where = "subject.properties.contract == \"external\""
    }
    actions   = ["read"]
    resources = { types = [service_resource_type.payslip.path] }
  }
}

# Nobody submits and approves the same payslip. It only warns for now.
resource "service_access_rule" "four_eyes" {
  name = "four-eyes"
  mode = "warn"

  separate = {
    actions   = ["submit", "approve"]
    resources = { types = [service_resource_type.payslip.path] }
  }
}

# Nobody but these may approve, and it is suspended for a while.
resource "service_access_rule" "approvers" {
  name              = "approvers"
  suspended_until   = "2099-01-31T18:00:00Z"
  suspension_reason = "The yearly audit reads everything."

  only = {
    subjects  = { groups = [service_group.oncall.path] }
    actions   = ["approve"]
    resources = { types = [service_resource_type.payslip.path] }
  }
}
