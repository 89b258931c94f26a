module example.com/guarded-routes

go 1.19

require github.com/authz-service/service/sdk/go v0.0.0

replace github.com/authz-service/service/sdk/go => ../../../sdk/go
