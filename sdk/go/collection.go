package authz

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Collection has the records of one kind. A record is named by its id, or by its path: "billing/accountant".
type Collection[Record, New, Made any] struct {
	client *Client
	kind   string
	path   string
}

// Filter lists only records whose fields equal these: Filter{"application": "billing"}.
type Filter map[string]string

// Patch changes the fields that it holds (RFC 7396); nil takes a field away.
type Patch map[string]any

// List walks the records that the filter fits; nil lists all.
func (k *Collection[Record, New, Made]) List(ctx context.Context, filter Filter, options ...CallOption) *Iterator[Record] {
	query := url.Values{}
	for name, value := range filter {
		query.Set(name, value)
	}
	return listed[Record](ctx, k.client, list{path: k.path, query: query, past: true}, options)
}

// Get reads one record; ErrNotFound where there is none.
func (k *Collection[Record, New, Made]) Get(ctx context.Context, idOrPath string, options ...CallOption) (Record, error) {
	var record Record
	r := k.item(http.MethodGet, idOrPath)
	r.past = true
	err := k.client.manage(ctx, r, nil, options, &record)
	return record, err
}

// Create makes a record. The secret of a credential is in the answer, and is never shown again.
func (k *Collection[Record, New, Made]) Create(ctx context.Context, record New, options ...CallOption) (Made, error) {
	var made Made
	err := k.write(ctx, k.client.managed(http.MethodPost, k.path, k.path), record, options, &made)
	return made, err
}

// Update changes fields of a record.
func (k *Collection[Record, New, Made]) Update(ctx context.Context, idOrPath string, patch Patch, options ...CallOption) (Record, error) {
	var record Record
	r := k.item(http.MethodPatch, idOrPath)
	r.contentType = "application/merge-patch+json"
	err := k.write(ctx, r, patch, options, &record)
	return record, err
}

// Delete removes a record.
func (k *Collection[Record, New, Made]) Delete(ctx context.Context, idOrPath string, options ...CallOption) error {
	return k.write(ctx, k.item(http.MethodDelete, idOrPath), nil, options, nil)
}

// RotatedSecret is the new secret of a credential, shown once: Secret of an API key, the others of an OAuth client.
type RotatedSecret struct {
	Secret       string `json:"secret,omitempty"`
	ClientID     string `json:"client_id,omitempty"`
	ClientSecret string `json:"client_secret,omitempty"`
	// FormerUntil says until when the secret before is good; nil if it has ended.
	FormerUntil *time.Time `json:"former_until,omitempty"`
}

// RotateSecret gives a credential another secret. The one before ends after the overlap, in whole seconds; at once for zero.
func (k *Collection[Record, New, Made]) RotateSecret(ctx context.Context, idOrPath string, overlap time.Duration, options ...CallOption) (RotatedSecret, error) {
	var rotated RotatedSecret
	r := k.item(http.MethodPost, idOrPath)
	r.route += "/secret"
	r.target += "/secret"
	body := map[string]int64{}
	if overlap > 0 {
		body["overlap_seconds"] = int64((overlap + time.Second - 1) / time.Second)
	}
	err := k.write(ctx, r, body, options, &rotated)
	return rotated, err
}

// write changes one record, for a stack where the caller names one.
func (k *Collection[Record, New, Made]) write(ctx context.Context, r request, body any, options []CallOption, value any) error {
	r.once = true
	if stack := optionsOf(options).stack; stack != "" {
		r.target += "?stack=" + url.QueryEscape(stack)
	}
	return k.client.manage(ctx, r, body, options, value)
}

func (k *Collection[Record, New, Made]) item(method, idOrPath string) request {
	return k.client.named(method, k.path+"/{id}", idOrPath, "a record")
}

// managed is a management request; the route stands for its path in errors and spans.
func (c *Client) managed(method, route, path string) request {
	return request{
		method: method, route: route, target: c.root + path, contentType: "application/json", profile: c.management, answeredBy: success,
	}
}

// named is a management request whose path has a name in place of "{…}" of its route. Names that do not survive in a URL are
// refused: an empty one would mean the whole collection, and dot segments vanish.
func (c *Client) named(method, route, name, what string) request {
	before, rest, _ := strings.Cut(route, "{")
	_, after, _ := strings.Cut(rest, "}")
	r := c.managed(method, route, before+url.PathEscape(name)+after)
	r.refused = unnameable(name, what)
	return r
}

func unnameable(name, what string) error {
	if name == "" || name == "." || name == ".." {
		return failure(CodeInvalidRequest, "%q cannot name %s in a URL: use its id.", name, what)
	}
	return nil
}

// manage sends a request and reads its answer, where there is one, into the value.
func (c *Client) manage(ctx context.Context, r request, body any, options []CallOption, value any) (err error) {
	if r.refused != nil {
		return r.refused
	}
	o := optionsOf(options)
	if body != nil {
		if r.body, err = encode(body); err != nil {
			return err
		}
	}
	if o.match != "" {
		r.set("If-Match", o.match)
	}
	ctx, span := c.span(ctx, "authz."+r.method+" "+r.route)
	defer func() { ended(span, err) }()
	r.span = span
	came, err := c.send(ctx, r, &o)
	if err != nil || value == nil {
		return err
	}
	if _, any := value.(*json.RawMessage); any && came.status == http.StatusNoContent {
		return nil
	}
	return c.decode(came, r, value)
}

func (r *request) set(name, value string) {
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Set(name, value)
}

// list is a list with pages.
type list struct {
	path  string
	query url.Values
	// past: it may be about the past.
	past bool
	// told hears of what a page has besides its items; nil for nobody.
	told func(listing)
}

// listing is what a page has besides its items.
type listing struct {
	Next          string `json:"next_cursor"`
	SearchedSince *struct {
		Revision string    `json:"revision"`
		At       time.Time `json:"at"`
	} `json:"searched_since"`
}

// listed walks the pages of a list by their cursors.
func listed[T any](ctx context.Context, c *Client, of list, options []CallOption) *Iterator[T] {
	path, query := of.path, of.query
	if limit := optionsOf(options).pageLimit; limit != nil {
		query.Set("limit", strconv.Itoa(*limit))
	}
	return newIterator(ctx, func(ctx context.Context, cursor string) ([]T, string, error) {
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		r := c.managed(http.MethodGet, path, path)
		r.past = of.past
		if len(query) > 0 {
			r.target += "?" + query.Encode()
		}
		var answered struct {
			Items *[]T `json:"items"`
			listing
		}
		if err := c.manage(ctx, r, nil, options, &answered); err != nil {
			return nil, "", err
		}
		if answered.Items == nil {
			return nil, "", failure(CodeNetwork, "GET %s%s answered without items: that is not the service.", c.address, path)
		}
		if of.told != nil {
			of.told(answered.listing)
		}
		return *answered.Items, answered.Next, nil
	})
}
