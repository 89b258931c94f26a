data "service_api_key" "agent" {
  name = "agent-eu"
}

output "agent_key_scopes" {
  value = data.service_api_key.agent.scopes
}
