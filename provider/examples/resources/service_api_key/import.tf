import {
  to = service_api_key.shop
  id = "api_key/shop"
}
