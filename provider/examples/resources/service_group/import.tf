import {
  to = service_group.finance
  id = "group/finance"
}
