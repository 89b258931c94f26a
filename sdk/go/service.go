package authz

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// WhoAmI says whom a credential stands for, and what it may do.
type WhoAmI struct {
	Tenant struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"tenant"`
	Credential AuditCredential `json:"credential"`
	Scopes     []string        `json:"scopes"`
	// Limits are what the credential may write at most; nil means unlimited.
	Limits *WritingLimits `json:"limits"`
}

// WritingLimits say what a credential may write at most. What is empty or nil does not limit.
type WritingLimits struct {
	Stacks       []string `json:"stacks"`
	Applications []string `json:"applications"`
	PriorityMax  *int     `json:"priority_max"`
}

// BundleKey is the key that signs bundles from now on.
type BundleKey struct {
	KeyID     string    `json:"kid"`
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	// TokenKeyID is the id of the key that signs access tokens from now on.
	TokenKeyID string `json:"token_kid"`
}

// AgentStatus is the state of an agent. What is nil is not known yet.
type AgentStatus struct {
	// Source is where bundles come from: the cloud ("cloud"), or files that a web server distributes ("static").
	Source struct {
		Kind string `json:"kind"`
		URL  string `json:"url"`
	} `json:"source"`
	Status         string     `json:"status"`
	Revision       *string    `json:"revision"`
	BundleRevision *string    `json:"bundle_revision"`
	IssuedAt       *time.Time `json:"issued_at"`
	AgeSeconds     *float64   `json:"age_seconds"`
	// MaxAgeSeconds is the age past which the agent decides nothing.
	MaxAgeSeconds *float64 `json:"max_age_seconds"`
	// Epoch is the cloud's, as its key has signed it.
	Epoch *struct {
		Name       string    `json:"name"`
		DeclaredAt time.Time `json:"declared_at"`
		SignedBy   string    `json:"signed_by"`
	} `json:"epoch"`
	LastRequest         *time.Time `json:"last_request"`
	LastSuccess         *time.Time `json:"last_success"`
	LastActivation      *time.Time `json:"last_activation"`
	Degraded            bool       `json:"degraded"`
	ConsecutiveFailures int        `json:"consecutive_failures"`
	LastError           *struct {
		At     time.Time `json:"at"`
		Code   Code      `json:"code"`
		Detail string    `json:"detail"`
	} `json:"last_error"`
	// Document is the agent's whole answer, as it came.
	Document json.RawMessage `json:"-"`
}

// WhoAmI reads whom the credential stands for.
func (c *Client) WhoAmI(ctx context.Context, options ...CallOption) (WhoAmI, error) {
	var answered WhoAmI
	err := c.manage(ctx, c.managed(http.MethodGet, "/v1/whoami", "/v1/whoami"), nil, options, &answered)
	return answered, err
}

// AgentStatus reads the state of an agent. Agents only.
func (c *Client) AgentStatus(ctx context.Context, options ...CallOption) (AgentStatus, error) {
	var answered AgentStatus
	err := c.manage(ctx, c.managed(http.MethodGet, "/v1/status", "/v1/status"), nil, options, &answered.Document)
	if err == nil {
		if failed := json.Unmarshal(answered.Document, &answered); failed != nil {
			err = failure(CodeNetwork, "GET %s/v1/status answered with no agent's status: %s.", c.address, failed)
		}
	}
	return answered, err
}

// RotateBundleKeys makes the cloud sign bundles and access tokens with new keys, for operators. With revoke, agents no
// longer trust the keys before, and every access token ends.
func (c *Client) RotateBundleKeys(ctx context.Context, revoke bool, options ...CallOption) (BundleKey, error) {
	var key BundleKey
	r := c.managed(http.MethodPost, "/v1/bundle-keys", "/v1/bundle-keys")
	r.once = true
	body := map[string]bool{}
	if revoke {
		body["revoke"] = true
	}
	err := c.manage(ctx, r, body, options, &key)
	return key, err
}
