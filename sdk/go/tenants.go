package authz

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Tenant is one tenant of a cloud.
type Tenant struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

// MadeTenant is a tenant just made, with the secret of its administrator, this once.
type MadeTenant struct {
	Tenant
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// Tenants walks the tenants. This and the calls below are for operators.
func (c *Client) Tenants(ctx context.Context, options ...CallOption) *Iterator[Tenant] {
	return listed[Tenant](ctx, c, "/v1/tenants", url.Values{}, options, false)
}

// Tenant reads one tenant.
func (c *Client) Tenant(ctx context.Context, name string, options ...CallOption) (Tenant, error) {
	var tenant Tenant
	err := c.manage(ctx, c.tenantRequest(http.MethodGet, name), nil, options, &tenant)
	return tenant, err
}

// CreateTenant makes a tenant with an administrator.
func (c *Client) CreateTenant(ctx context.Context, name string, options ...CallOption) (MadeTenant, error) {
	var made MadeTenant
	r := c.managed(http.MethodPost, "/v1/tenants", "/v1/tenants")
	r.once = true
	err := c.manage(ctx, r, map[string]string{"name": name}, options, &made)
	return made, err
}

// DeleteTenant removes a tenant with all its records.
func (c *Client) DeleteTenant(ctx context.Context, name string, options ...CallOption) error {
	r := c.tenantRequest(http.MethodDelete, name)
	r.once = true
	return c.manage(ctx, r, nil, options, nil)
}

func (c *Client) tenantRequest(method, name string) request {
	return c.managed(method, "/v1/tenants/{name}", "/v1/tenants/"+url.PathEscape(name))
}
