data "service_oauth_client" "pipeline" {
  name = "pipeline"
}

output "pipeline_scopes" {
  value = data.service_oauth_client.pipeline.scopes
}
