import {
  to = service_subject.bob
  id = "subject/user/bob"
}
