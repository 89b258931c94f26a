# Mocks of the provider for "terraform test":
#
#   mock_provider "service" {
#     source = "./tests/mocks"
#   }
#
# Terraform makes up ids, paths and addresses itself in the apply of a run. Give runs with "command = plan" a file and a
# mock_provider of their own, with "override_during = plan" beside "source": their plans then know these values, too.
#
# To test a denial, override a decision in the test:
#
#   override_data {
#     target = data.service_decision.refund
#     values = { decision = false, reason = "No policy matched." }
#   }

mock_data "service_decision" {
  defaults = {
    decision    = true
    reason      = "Mocked: allowed."
    access_path = "role"
  }
}

mock_resource "service_access_rule" {}

mock_resource "service_api_key" {
  defaults = {
    secret = "svc_mocked"
  }
}

mock_resource "service_application" {}

mock_resource "service_context_attribute" {}

mock_resource "service_directory" {}

mock_resource "service_group" {}

mock_resource "service_group_members" {}

mock_resource "service_group_membership" {}

mock_resource "service_oauth_client" {
  defaults = {
    client_secret = "mocked"
  }
}

mock_resource "service_policy" {}

mock_resource "service_policy_assignees" {}

mock_resource "service_policy_assignment" {}

mock_resource "service_resource" {}

mock_resource "service_resource_type" {}

mock_resource "service_role" {}

mock_resource "service_role_assignment" {}

mock_resource "service_role_holders" {}

mock_resource "service_subject" {}

mock_resource "service_subject_type" {}
