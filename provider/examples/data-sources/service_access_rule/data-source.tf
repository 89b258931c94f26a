data "service_access_rule" "no_externals" {
  name = "no-externals-in-payroll"
}

output "rule_mode" {
  value = data.service_access_rule.no_externals.mode
}
