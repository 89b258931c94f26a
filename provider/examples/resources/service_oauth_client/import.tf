import {
  to = service_oauth_client.pipeline
  id = "oauth_client/pipeline"
}
