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

// ConsoleLink signs in to the console.
type ConsoleLink struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// ConsoleLink makes a link that signs the holder of the credential in to the console, once and within 60 seconds.
func (c *Client) ConsoleLink(ctx context.Context, options ...CallOption) (ConsoleLink, error) {
	var link ConsoleLink
	r := c.managed(http.MethodPost, "/v1/console-links", "/v1/console-links")
	r.once = true
	err := c.manage(ctx, r, nil, options, &link)
	return link, err
}

// AccessRuleViolations are what breaks access rules as the records are at a revision.
type AccessRuleViolations struct {
	Revision   string                `json:"revision"`
	Violations []AccessRuleViolation `json:"violations"`
	// More: a rule has more violations than are listed.
	More bool `json:"more"`
}

// AccessRuleViolation is a violation of an access rule that stands.
type AccessRuleViolation struct {
	// Rule is the address of the rule.
	Rule string `json:"rule"`
	// Form is "never", "only", "always" or "separate".
	Form string `json:"form"`
	// Mode is "enforce" or "warn".
	Mode   string `json:"mode"`
	Detail string `json:"detail"`
	// Witness is a request that breaks the rule; of "separate" one for each of two actions.
	Witness []AccessRuleWitness `json:"witness"`
	// Proven is false where it cannot be said whether a request breaks the rule.
	Proven bool `json:"proven"`
}

// AccessRuleWitness is a request that breaks a rule, and its instant.
type AccessRuleWitness struct {
	Request map[string]any `json:"request"`
	Now     time.Time      `json:"now"`
}

// AccessRuleViolations reads what breaks access rules as the records are now. It stands, and blocks no change.
func (c *Client) AccessRuleViolations(ctx context.Context, options ...CallOption) (AccessRuleViolations, error) {
	var violations AccessRuleViolations
	r := c.managed(http.MethodGet, "/v1/access-rule-violations", "/v1/access-rule-violations")
	err := c.manage(ctx, r, nil, options, &violations)
	return violations, err
}

// RecordOrigin says where a record stood in Git when it was last changed; what is not known is empty.
type RecordOrigin struct {
	Address    string `json:"address"`
	Repository string `json:"repository,omitempty"`
	Commit     string `json:"commit,omitempty"`
	// Uncommitted: the files had changes that are in no commit.
	Uncommitted bool   `json:"uncommitted,omitempty"`
	Path        string `json:"path,omitempty"`
	Line        int    `json:"line,omitempty"`
	// Link is the page that shows it.
	Link string `json:"link,omitempty"`
}

// Origins reads where records stand in Git, of those where that is known. At most 1,000 addresses.
func (c *Client) Origins(ctx context.Context, addresses []string, options ...CallOption) ([]RecordOrigin, error) {
	var answered struct {
		Origins []RecordOrigin `json:"origins"`
	}
	r := c.managed(http.MethodPost, "/v1/record-origins", "/v1/record-origins")
	r.reading = true
	err := c.manage(ctx, r, map[string][]string{"addresses": addresses}, options, &answered)
	return answered.Origins, err
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
