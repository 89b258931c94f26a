import {
  to = service_subject_type.user
  id = "subject_type/user"
}
