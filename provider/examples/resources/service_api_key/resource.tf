# A key that you choose: it is stored in no plan and no state.
variable "agent_key" {
  description = "svc_ and at least 32 characters, from your secret store."
  type        = string
  sensitive   = true
  ephemeral   = true
}

resource "service_api_key" "agent" {
  name              = "agent-eu"
  scopes            = ["bundle"]
  secret_wo         = var.agent_key
  secret_wo_version = 1 # changing the number sends the key again
}

# A key that the service generates: its secret is stored in the state.
resource "service_api_key" "shop" {
  name       = "shop"
  scopes     = ["decisions"]
  expires_at = "2099-12-31T23:59:59Z"
}

output "shop_key" {
  value     = service_api_key.shop.secret
  sensitive = true
}
