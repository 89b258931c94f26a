# A token that may only read, for a provider or a write-only argument that wants one.
ephemeral "service_access_token" "reader" {
  scopes = ["records:read"]
}

locals {
  authorization = "Bearer ${ephemeral.service_access_token.reader.access_token}"
}
