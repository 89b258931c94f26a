# A key of your own choosing: in no plan and no state.
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
  secret_wo_version = 1 # another number sends the key anew
}

# A key that the service makes: its secret stands in the state.
resource "service_api_key" "shop" {
  name       = "shop"
  scopes     = ["decisions"]
  expires_at = "2099-12-31T23:59:59Z"
}

output "shop_key" {
  value     = service_api_key.shop.secret
  sensitive = true
}
