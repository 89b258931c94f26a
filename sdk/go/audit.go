package authz

import (
	"context"
	"net/url"
	"time"
)

// AuditEntry is one commit: who changed what.
type AuditEntry struct {
	Revision   string          `json:"revision"`
	Digest     string          `json:"digest"`
	At         time.Time       `json:"at"`
	RequestID  string          `json:"request_id"`
	Credential AuditCredential `json:"credential"`
	Stack      string          `json:"stack,omitempty"`
	Counts     AuditCounts     `json:"counts"`
	Changes    []AuditChange   `json:"changes"`
	// Truncated: there were more changes than are listed.
	Truncated bool `json:"truncated"`
}

// AuditCredential names the credential that something was done with.
type AuditCredential struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// AuditCounts says how many records a commit changed.
type AuditCounts struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Removed int `json:"removed"`
}

// AuditChange is one change of a commit.
type AuditChange struct {
	// Op is "create", "update", "move" or "delete".
	Op      string `json:"op"`
	Address string `json:"address"`
	From    string `json:"from,omitempty"`
}

// TenantEvent says who made or removed a tenant, erased something from its history, or retired one of its agents.
type TenantEvent struct {
	// Op is "create", "delete", "erase" or "retire".
	Op string `json:"op"`
	// Agent is the id of the agent that was retired.
	Agent  string    `json:"agent,omitempty"`
	At     time.Time `json:"at"`
	Tenant struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"tenant"`
	RequestID  string          `json:"request_id"`
	Credential AuditCredential `json:"credential"`
}

// Audit walks the commits of the tenant, the latest first.
func (c *Client) Audit(ctx context.Context, options ...CallOption) *Iterator[AuditEntry] {
	return listed[AuditEntry](ctx, c, "/v1/audit", url.Values{}, options, false)
}

// TenantAudit walks the making and removal of tenants, the latest first, including tenants that no longer exist. For
// operators.
func (c *Client) TenantAudit(ctx context.Context, options ...CallOption) *Iterator[TenantEvent] {
	return listed[TenantEvent](ctx, c, "/v1/audit/tenants", url.Values{}, options, false)
}
