import {
  to = service_group_members.finance
  id = "group/finance"
}
