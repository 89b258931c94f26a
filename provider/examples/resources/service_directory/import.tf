import {
  to = service_directory.okta
  id = "directory/okta"
}
