package authz

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrNotModified means that the revision that IfNoneMatch names is still the newest.
var ErrNotModified = &Error{Code: "not_modified"}

// State is all records of the tenant at one revision.
type State struct {
	Tenant   string         `json:"tenant"`
	Revision string         `json:"revision"`
	Records  []StoredRecord `json:"records"`
}

// StoredRecord is a record of any kind.
type StoredRecord struct {
	Kind      string `json:"kind"`
	Address   string `json:"address"`
	ID        string `json:"id"`
	ManagedBy string `json:"managed_by"`
	// Fields decode into the New… of the kind.
	Fields    json.RawMessage `json:"fields"`
	CreatedAt time.Time       `json:"created_at"`
	UpdatedAt time.Time       `json:"updated_at"`
	Revision  int64           `json:"revision"`
}

// Bundle is a policy bundle, as agents fetch it.
type Bundle struct {
	// ETag is what IfNoneMatch takes.
	ETag string
	// Archive is a tar.gz.
	Archive []byte
}

// State reads all records of the tenant; with IfNoneMatch, ErrNotModified where the revision is the same.
func (c *Client) State(ctx context.Context, options ...CallOption) (State, error) {
	var state State
	r := c.managed(http.MethodGet, "/v1/state", "/v1/state")
	r.past = true
	came, err := c.conditional(ctx, r, options)
	if err == nil {
		err = c.decode(came, r, &state)
	}
	return state, err
}

// Bundle reads the policy bundle; an operator's holds all tenants, or the one that OfTenant names.
func (c *Client) Bundle(ctx context.Context, options ...CallOption) (Bundle, error) {
	r := c.managed(http.MethodGet, "/v1/policies/bundle", "/v1/policies/bundle")
	if tenant := optionsOf(options).tenant; tenant != "" {
		r.target += "?" + url.Values{"tenant": {tenant}}.Encode()
	}
	came, err := c.conditional(ctx, r, options)
	if err != nil {
		return Bundle{}, err
	}
	return Bundle{came.header.Get("Etag"), came.body}, nil
}

func (c *Client) conditional(ctx context.Context, r request, options []CallOption) (came *answer, err error) {
	o := optionsOf(options)
	if o.noneMatch != "" {
		tag := o.noneMatch
		if !strings.HasPrefix(tag, `"`) && !strings.HasPrefix(tag, `W/"`) {
			tag = `"` + tag + `"`
		}
		r.set("If-None-Match", tag)
		r.answeredBy = func(status int) bool { return status == http.StatusOK || status == http.StatusNotModified }
	}
	ctx, span := c.span(ctx, "authz."+r.method+" "+r.route)
	defer func() { ended(span, err) }()
	r.span = span
	came, err = c.send(ctx, r, &o)
	if err == nil && came.status == http.StatusNotModified {
		return nil, ErrNotModified
	}
	return came, err
}
