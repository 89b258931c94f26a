# A secret that you choose: it is stored in no plan and no state.
variable "pipeline_secret" {
  description = "At least 16 characters, from your secret store."
  type        = string
  sensitive   = true
  ephemeral   = true
}

resource "service_oauth_client" "pipeline" {
  name              = "pipeline"
  description       = "Applies the tenant's records on main."
  scopes            = ["records:write"]
  secret_wo         = var.pipeline_secret
  secret_wo_version = 1 # changing the number sends the secret again
}

output "pipeline_client_id" {
  value = service_oauth_client.pipeline.client_id
}
