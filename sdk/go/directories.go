package authz

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DirectoryStatus says what a directory holds, and what its brake holds.
type DirectoryStatus struct {
	Name        string `json:"name"`
	Subjects    int    `json:"subjects"`
	Groups      int    `json:"groups"`
	Memberships int    `json:"memberships"`
	// LastSync is when a key of the directory was last used; nil if none ever was.
	LastSync *time.Time `json:"last_sync,omitempty"`
	// TakenAway counts the losses by the directory in the last hour.
	TakenAway struct {
		People      int `json:"people"`
		Renamed     int `json:"renamed"`
		Memberships int `json:"memberships"`
		Groups      int `json:"groups"`
		Suspended   int `json:"suspended"`
	} `json:"taken_away"`
	HeldCount int `json:"held_count"`
	// Held has at most 100 entries: what is held, the oldest first, and then what was decided on in the last 24 hours.
	Held []HeldChange `json:"held"`
	// Access is the effect on access of letting all of it through, if it was asked for.
	Access json.RawMessage `json:"access,omitempty"`
}

// HeldChange is a change that the brake of a directory holds, or has held.
type HeldChange struct {
	ID string `json:"id"`
	// Braked is the field of the directory that holds it.
	Braked string `json:"braked"`
	Detail string `json:"detail"`
	// Records are the addresses of the first 10 records that it is about.
	Records []string `json:"records"`
	// State is "held", "released" or "discarded".
	State   string    `json:"state"`
	FirstAt time.Time `json:"first_at"`
	LastAt  time.Time `json:"last_at"`
}

// DirectoryStatus reads the status of a directory; with access, also the effect on access of letting through what is held.
func (c *Client) DirectoryStatus(ctx context.Context, name string, access bool, options ...CallOption) (DirectoryStatus, error) {
	var status DirectoryStatus
	r := c.directoryRequest(http.MethodGet, name, "/status")
	if access {
		r.target += "?access=true"
	}
	err := c.manage(ctx, r, nil, options, &status)
	return status, err
}

// HeldDecision is what becomes of the changes that a brake holds.
type HeldDecision string

const (
	// Release lets through what the brake holds now, once the directory asks for it again.
	Release HeldDecision = "release"
	// Discard refuses that.
	Discard HeldDecision = "discard"
)

// DecideHeldChanges lets through or discards what the brake of a directory holds now. It returns how many changes that is.
func (c *Client) DecideHeldChanges(ctx context.Context, name string, decision HeldDecision, options ...CallOption) (int, error) {
	var answered struct {
		Decided int `json:"decided"`
	}
	r := c.directoryRequest(http.MethodPost, name, "/held-changes")
	r.once = true
	err := c.manage(ctx, r, map[string]HeldDecision{"decision": decision}, options, &answered)
	return answered.Decided, err
}

// SCIMOperation is a request of SCIM in the form of a bulk request (RFC 7644 section 3.7).
type SCIMOperation struct {
	// Method is "POST", "PUT" or "DELETE".
	Method string `json:"method"`
	// Path is "/Users", "/Groups", or one of them with an id.
	Path string `json:"path"`
	// BulkID is the name of what it makes: another operation has "bulkId:NAME" as the id of a member.
	BulkID string `json:"bulkId,omitempty"`
	// Data is sent as JSON; nil for none.
	Data any `json:"data,omitempty"`
}

// DirectoryPlan is the effect of requests of SCIM that nobody has sent yet.
type DirectoryPlan struct {
	BaseRevision string `json:"base_revision"`
	// Refused are the operations that the mapping would refuse or the brake hold now, by their positions.
	Refused []struct {
		Operation int    `json:"operation"`
		Detail    string `json:"detail"`
	} `json:"refused"`
	// Violations are those of access rules that the others would break together.
	Violations []struct {
		Rule string `json:"rule"`
		// Mode is "enforce" or "warn".
		Mode   string `json:"mode"`
		Detail string `json:"detail"`
	} `json:"violations"`
	// Access is the effect of the others on access, or why that is not known.
	Access json.RawMessage `json:"access"`
}

// PlanDirectory says what requests of SCIM would do to access and access rules. It does not send them.
func (c *Client) PlanDirectory(ctx context.Context, name string, operations []SCIMOperation, options ...CallOption) (DirectoryPlan, error) {
	var plan DirectoryPlan
	if operations == nil {
		operations = []SCIMOperation{}
	}
	r := c.directoryRequest(http.MethodPost, name, "/plans")
	err := c.manage(ctx, r, map[string][]SCIMOperation{"operations": operations}, options, &plan)
	return plan, err
}

// Adoption names records that a directory takes over.
type Adoption struct {
	// Addresses are those of subjects, groups and memberships.
	Addresses []string `json:"addresses"`
	// BaseRevision is the one that they were looked at; if the tenant has another one, the change is refused.
	BaseRevision string `json:"base_revision,omitempty"`
}

// AdoptedRecords are records that now belong to a directory, with the owners that they had.
type AdoptedRecords struct {
	Revision string `json:"revision"`
	Adopted  []struct {
		Address   string `json:"address"`
		TakenFrom string `json:"taken_from"`
	} `json:"adopted"`
}

// AdoptForDirectory hands subjects, groups and memberships of other owners over to a directory.
func (c *Client) AdoptForDirectory(ctx context.Context, name string, records Adoption, options ...CallOption) (AdoptedRecords, error) {
	var adopted AdoptedRecords
	r := c.directoryRequest(http.MethodPost, name, "/adopted-records")
	r.once = true
	err := c.manage(ctx, r, records, options, &adopted)
	return adopted, err
}

// SCIMRequest is a request of SCIM 2.0.
type SCIMRequest struct {
	Method string
	// Path is "Users" or "Users/ID", or the same of "Groups".
	Path  string
	Query url.Values
	// Body is sent as JSON; nil for none.
	Body any
}

// SCIM sends a request of SCIM 2.0, for whoever holds the key of a directory. It returns the JSON of the answer; nil where it
// has none.
func (c *Client) SCIM(ctx context.Context, scim SCIMRequest, options ...CallOption) (json.RawMessage, error) {
	collection, _, one := strings.Cut(scim.Path, "/")
	route := "/scim/v2/" + collection
	if one {
		route += "/{id}"
	}
	r := c.managed(scim.Method, route, "/scim/v2/"+scim.Path)
	for _, segment := range strings.Split(scim.Path, "/") {
		if r.refused == nil {
			r.refused = unnameable(segment, "a resource of SCIM")
		}
	}
	if len(scim.Query) > 0 {
		r.target += "?" + scim.Query.Encode()
	}
	var answered json.RawMessage
	err := c.manage(ctx, r, scim.Body, options, &answered)
	return answered, err
}

func (c *Client) directoryRequest(method, name, below string) request {
	return c.named(method, "/v1/directories/{id}"+below, name, "a directory")
}
