terraform {
  required_providers {
    service = {
      source  = "authz-service/service"
      version = "~> 0.1"
    }
  }
}

# SERVICE_CLOUD_URL, SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET come from the environment.
provider "service" {
  stack = "acme" # the owner of what this configuration declares
}
