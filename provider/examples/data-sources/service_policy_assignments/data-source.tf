data "service_policy_assignments" "readers" {
  policy = "billing/read-invoices"
}

output "who_reads_invoices" {
  value = data.service_policy_assignments.readers.items[*].entity
}
