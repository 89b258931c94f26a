module github.com/authz-service/service/sdk/go

go 1.19
