module example.com/guarded-list

go 1.19

require (
	github.com/authz-service/service/sdk/go v0.0.0
	github.com/lib/pq v1.10.7
)

replace github.com/authz-service/service/sdk/go => ../../../sdk/go
