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
	// Source says where in Git the records stood; nil where nobody has said so.
	Source  *AuditSource  `json:"source,omitempty"`
	Counts  AuditCounts   `json:"counts"`
	Changes []AuditChange `json:"changes"`
	// Truncated: there were more changes than are listed.
	Truncated bool `json:"truncated"`
}

// AuditSource is the commit in Git that was applied, and who stands behind it as far as whoever applied it says so.
type AuditSource struct {
	Repository string `json:"repository,omitempty"`
	Commit     string `json:"commit,omitempty"`
	// Uncommitted: the files had changes that were in no commit.
	Uncommitted bool `json:"uncommitted,omitempty"`
	// Author wrote the commit, or opened the pull request.
	Author string `json:"author,omitempty"`
	// PullRequest is its number; 0 where nobody has said one.
	PullRequest int      `json:"pull_request,omitempty"`
	ApprovedBy  []string `json:"approved_by,omitempty"`
	// Pipeline is the page of the run that applied it.
	Pipeline string `json:"pipeline,omitempty"`
	// Link is the page that shows the commit, where one is known.
	Link string `json:"link,omitempty"`
	// PullRequestLink is the page that shows the pull request, where one is known.
	PullRequestLink string `json:"pull_request_link,omitempty"`
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

// TenantEvent says who made or removed a tenant, erased something from its history, retired one of its agents, or switched its
// credentials.
type TenantEvent struct {
	// Op is "create", "delete", "erase", "retire", "disable" or "enable".
	Op string `json:"op"`
	// Subject is the path of the subject of an erasure; Properties are those that were erased, or nil for all.
	Subject    string   `json:"subject,omitempty"`
	Properties []string `json:"properties,omitempty"`
	// Credentials are the addresses of those that a restore turned off, or an operator on.
	Credentials []string `json:"credentials,omitempty"`
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

// AuditQuery says which commits are wanted. Its zero value wants all.
type AuditQuery struct {
	// Since and Until are times (RFC 3339, or a date: its beginning in UTC).
	Since, Until string
	// Actor is a credential, by its name or id.
	Actor string
	// Record is the address of a record that was changed.
	Record string
	// Subject was changed, or given something: "user/alice".
	Subject string
	// SearchedSince is told of the oldest revision that history holds, and of its time, where Record or Subject is set. Later
	// commits were all searched.
	SearchedSince func(revision string, at time.Time)
}

// Audit walks the commits of the tenant, the latest first.
func (c *Client) Audit(ctx context.Context, query AuditQuery, options ...CallOption) *Iterator[AuditEntry] {
	values := url.Values{}
	for name, value := range map[string]string{
		"since": query.Since, "until": query.Until, "actor": query.Actor, "record": query.Record, "subject": query.Subject,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	told := func(more listing) {
		if since := more.SearchedSince; since != nil && query.SearchedSince != nil {
			query.SearchedSince(since.Revision, since.At)
		}
	}
	return listed[AuditEntry](ctx, c, list{path: "/v1/audit", query: values, told: told}, options)
}

// TenantAudit walks the making and removal of tenants, the latest first, including tenants that no longer exist. For
// operators.
func (c *Client) TenantAudit(ctx context.Context, options ...CallOption) *Iterator[TenantEvent] {
	return listed[TenantEvent](ctx, c, list{path: "/v1/audit/tenants", query: url.Values{}}, options)
}
