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
	return listed[Tenant](ctx, c, list{path: "/v1/tenants", query: url.Values{}}, options)
}

// Tenant reads one tenant.
func (c *Client) Tenant(ctx context.Context, name string, options ...CallOption) (Tenant, error) {
	var tenant Tenant
	err := c.manage(ctx, c.tenantRequest(http.MethodGet, name, ""), nil, options, &tenant)
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
	r := c.tenantRequest(http.MethodDelete, name, "")
	r.once = true
	return c.manage(ctx, r, nil, options, nil)
}

// Erasure says what was erased from the history of a tenant.
type Erasure struct {
	// Versions is how many past versions of the subject lost something.
	Versions int `json:"versions"`
	// Absent are the named properties that no past version has, or none any more.
	Absent []string `json:"absent"`
}

// Erase erases properties of a subject, "user/alice", from the history of a tenant: all of them and its name, unless some are
// named.
func (c *Client) Erase(ctx context.Context, tenant, subject string, properties []string, options ...CallOption) (Erasure, error) {
	var erased Erasure
	body := map[string]any{"subject": subject}
	if properties != nil {
		body["properties"] = properties
	}
	err := c.manage(ctx, c.tenantRequest(http.MethodPost, tenant, "/erasures"), body, options, &erased)
	return erased, err
}

// DisabledCredential is a credential that a restore has turned off.
type DisabledCredential struct {
	// Address is that of the record; "sign-in" stands for all sessions of the console.
	Address   string     `json:"address"`
	Kind      string     `json:"kind"`
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	OffSince  time.Time  `json:"off_since"`
}

// DisabledCredentials lists the credentials of a tenant that are off since a restore.
func (c *Client) DisabledCredentials(ctx context.Context, tenant string, options ...CallOption) ([]DisabledCredential, error) {
	var answered struct {
		Items []DisabledCredential `json:"items"`
	}
	err := c.manage(ctx, c.tenantRequest(http.MethodGet, tenant, "/disabled-credentials"), nil, options, &answered)
	return answered.Items, err
}

// EnableCredentials turns credentials on that are off since a restore: those with these addresses, or all for nil. It returns
// the addresses.
func (c *Client) EnableCredentials(ctx context.Context, tenant string, credentials []string, options ...CallOption) ([]string, error) {
	var answered struct {
		Enabled []string `json:"enabled"`
	}
	body := map[string]any{}
	if credentials != nil {
		body["credentials"] = credentials
	}
	r := c.tenantRequest(http.MethodPost, tenant, "/enabled-credentials")
	r.once = true
	err := c.manage(ctx, r, body, options, &answered)
	return answered.Enabled, err
}

// DeleteDisabledCredentials deletes credentials that are off since a restore, by their addresses. It returns the revision
// without them.
func (c *Client) DeleteDisabledCredentials(ctx context.Context, tenant string, credentials []string, options ...CallOption) (string, error) {
	var answered struct {
		Revision string `json:"revision"`
	}
	r := c.tenantRequest(http.MethodPost, tenant, "/deleted-credentials")
	r.once = true
	err := c.manage(ctx, r, map[string][]string{"credentials": credentials}, options, &answered)
	return answered.Revision, err
}

func (c *Client) tenantRequest(method, name, below string) request {
	return c.named(method, "/v1/tenants/{name}"+below, name, "a tenant")
}
