package authz

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
)

// Changeset holds changes that are made together, all or none, in one revision.
type Changeset struct {
	// BaseRevision is the revision that the changes were made for. If the tenant has moved on, Apply returns ErrStaleBase.
	BaseRevision string `json:"base_revision,omitempty"`
	// Stack owns what is created; records of other owners are refused.
	Stack         string `json:"stack,omitempty"`
	TakeOwnership bool   `json:"take_ownership,omitempty"`
	// Exclusive allows deletions of links of other stacks that grant a role, policy or group of this stack.
	Exclusive bool `json:"exclusive,omitempty"`
	// Origins says where the records stand that the changes write. It is part of no revision.
	Origins *Origins `json:"origins,omitempty"`
	Changes []Change `json:"changes"`
}

// Origins says where records stand in Git. The repository is a URL without user and password.
type Origins struct {
	Repository string `json:"repository,omitempty"`
	Commit     string `json:"commit,omitempty"`
	// Uncommitted says that the files have changes that are in no commit.
	Uncommitted bool `json:"uncommitted,omitempty"`
	// Places holds the line that a record begins on, by the path of the file and the address.
	Places map[string]map[string]int `json:"places,omitempty"`
}

// Change is one change of a change-set, made by CreateRecord and the like. Their order does not matter.
type Change struct {
	Op      string `json:"op"`
	Kind    string `json:"kind,omitempty"`
	Address string `json:"address,omitempty"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Fields  any    `json:"fields,omitempty"`
	// Secret is a secret for a credential, chosen by the caller.
	Secret string `json:"secret,omitempty"`
}

// CreateRecord makes a record; the fields are a New… of its kind, or a map.
func CreateRecord(kind string, fields any) Change {
	return Change{Op: "create", Kind: kind, Fields: fields}
}

// UpdateRecord gives a record these fields and no others.
func UpdateRecord(address string, fields any) Change {
	return Change{Op: "update", Address: address, Fields: fields}
}

// DeleteRecord removes a record.
func DeleteRecord(address string) Change { return Change{Op: "delete", Address: address} }

// MoveRecord renames a record, which keeps its id; what mentions it follows.
func MoveRecord(from, to string) Change { return Change{Op: "move", From: from, To: to} }

// AdoptRecord takes a record over for the stack without changing it.
func AdoptRecord(address string) Change { return Change{Op: "adopt", Address: address} }

// ChangesetResult says what a change-set has done.
type ChangesetResult struct {
	Revision string          `json:"revision"`
	Added    int             `json:"added"`
	Changed  int             `json:"changed"`
	Removed  int             `json:"removed"`
	Created  []CreatedRecord `json:"created"`
	// Secrets are those of new credentials, shown once.
	Secrets []IssuedSecret `json:"secrets"`
}

// CreatedRecord names a record that a change-set made.
type CreatedRecord struct {
	Address string `json:"address"`
	ID      string `json:"id"`
}

// IssuedSecret is the secret of a new credential. Where the change-set was repeated, the service has none to show again.
type IssuedSecret struct {
	Address      string  `json:"address"`
	ID           string  `json:"id"`
	Secret       *string `json:"secret,omitempty"`
	ClientID     string  `json:"client_id,omitempty"`
	ClientSecret *string `json:"client_secret,omitempty"`
}

// Apply makes the changes. It is repeated after any passing fault, for its idempotency key makes that harmless; one is made
// unless IdempotencyKey gives it.
func (c *Client) Apply(ctx context.Context, changes Changeset, options ...CallOption) (ChangesetResult, error) {
	var result ChangesetResult
	key := optionsOf(options).idempotencyKey
	if key == "" {
		var bytes [16]byte
		if _, err := rand.Read(bytes[:]); err != nil {
			return result, failure(CodeInternal, "There are no random numbers for an idempotency key: %s.", err)
		}
		key = hex.EncodeToString(bytes[:])
	}
	if !headerSafe(key) {
		return result, failure(CodeInvalidRequest, "An idempotency key has 1 to 256 visible ASCII characters: choose another one.")
	}
	if changes.Changes == nil {
		changes.Changes = []Change{}
	}
	r := c.managed(http.MethodPost, "/v1/changesets", "/v1/changesets")
	r.set("Idempotency-Key", key)
	for _, change := range changes.Changes {
		r.secrets = append(r.secrets, change.Secret)
	}
	err := c.manage(ctx, r, changes, options, &result)
	return result, err
}
