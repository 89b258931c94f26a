import {
  to = service_access_rule.no_externals
  id = "access_rule/no-externals-in-payroll"
}
