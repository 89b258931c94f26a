# Mocks of the provider for "terraform test":
#
#   mock_provider "service" {
#     source = "./tests/mocks"
#   }
#
# Terraform makes up ids, paths and addresses itself. To test a denial, override a decision in the test:
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

mock_resource "service_api_key" {
  defaults = {
    secret = "svc_mocked"
  }
}

mock_resource "service_oauth_client" {
  defaults = {
    client_secret = "mocked"
  }
}
