import {
  to = service_group_membership.alice
  id = "group_membership/finance//subject/user/alice"
}
