package authz

import (
	"context"
	"encoding/json"
)

// SubjectSearch asks which subjects of a type may do this. Properties and roles count as if each had them.
type SubjectSearch struct {
	Subject  Subject        `json:"subject"`
	Action   Action         `json:"action"`
	Resource Resource       `json:"resource"`
	Context  map[string]any `json:"context,omitempty"`
}

// ResourceSearch asks on which resources of a type the subject may do this.
type ResourceSearch struct {
	Subject  Subject        `json:"subject"`
	Action   Action         `json:"action"`
	Resource Resource       `json:"resource"`
	Context  map[string]any `json:"context,omitempty"`
}

// ActionSearch asks what the subject may do to the resource.
type ActionSearch struct {
	Subject  Subject        `json:"subject"`
	Resource Resource       `json:"resource"`
	Context  map[string]any `json:"context,omitempty"`
}

// Entity is a subject or a resource that was found.
type Entity struct {
	Type       string         `json:"type"`
	ID         string         `json:"id"`
	Properties map[string]any `json:"properties,omitempty"`
}

// FoundAction is an action that was found.
type FoundAction struct {
	Name       string         `json:"name"`
	Properties map[string]any `json:"properties,omitempty"`
}

func (e Entity) named() bool      { return e.Type != "" && e.ID != "" }
func (a FoundAction) named() bool { return a.Name != "" }

// SearchSubjects finds the subjects of a type that may do this. All pages are of one revision: when that moves on
// meanwhile, the walk ends with ErrInvalidCursor.
func (c *Client) SearchSubjects(ctx context.Context, search SubjectSearch, options ...CallOption) *Iterator[Entity] {
	return searched[Entity](ctx, c, "subject", search, options)
}

// SearchResources finds the resources of a type on which the subject may do this.
func (c *Client) SearchResources(ctx context.Context, search ResourceSearch, options ...CallOption) *Iterator[Entity] {
	return searched[Entity](ctx, c, "resource", search, options)
}

// SearchActions finds what the subject may do to the resource.
func (c *Client) SearchActions(ctx context.Context, search ActionSearch, options ...CallOption) *Iterator[FoundAction] {
	return searched[FoundAction](ctx, c, "action", search, options)
}

type page struct {
	Token string `json:"token,omitempty"`
	Limit *int   `json:"limit,omitempty"`
}

// paged is a search with the page that is wanted.
type paged struct {
	Subject  Subject        `json:"subject"`
	Action   *Action        `json:"action,omitempty"`
	Resource Resource       `json:"resource"`
	Context  map[string]any `json:"context,omitempty"`
	Page     *page          `json:"page,omitempty"`
}

func pagedOf(search any, wanted *page) paged {
	switch s := search.(type) {
	case SubjectSearch:
		return paged{s.Subject, &s.Action, s.Resource, s.Context, wanted}
	case ResourceSearch:
		return paged{s.Subject, &s.Action, s.Resource, s.Context, wanted}
	}
	s := search.(ActionSearch)
	return paged{s.Subject, nil, s.Resource, s.Context, wanted}
}

func searched[T interface{ named() bool }](ctx context.Context, c *Client, kind string, search any, options []CallOption) *Iterator[T] {
	o := optionsOf(options)
	return newIterator(ctx, func(ctx context.Context, token string) (found []T, next string, err error) {
		ctx, span := c.span(ctx, "authz.search_"+kind)
		defer func() { ended(span, err) }()
		var wanted *page
		if token != "" || o.pageLimit != nil {
			wanted = &page{token, o.pageLimit}
		}
		body, err := encode(pagedOf(search, wanted))
		if err != nil {
			return nil, "", err
		}
		r := c.ask("/access/v1/search/"+kind, body, span)
		r.profile = c.management
		came, err := c.send(ctx, r, &o)
		if err != nil {
			return nil, "", err
		}
		tellRevision(span, came.revision())
		var answered struct {
			Results *[]T            `json:"results"`
			Context json.RawMessage `json:"context"`
			Page    struct {
				Next string `json:"next_token"`
			} `json:"page"`
		}
		if err := c.decode(came, r, &answered); err != nil {
			return nil, "", err
		}
		if answered.Results == nil {
			return nil, "", c.notTheService(came, r)
		}
		for _, result := range *answered.Results {
			if !result.named() {
				return nil, "", c.notTheService(came, r)
			}
		}
		var said struct {
			LeftOut *int     `json:"left_out"`
			Absent  []string `json:"absent"`
		}
		// What another vendor says there may have any form.
		if json.Unmarshal(answered.Context, &said) == nil && said.LeftOut != nil && o.leftOut != nil {
			o.leftOut(LeftOut{*said.LeftOut, said.Absent})
		}
		return *answered.Results, answered.Page.Next, nil
	})
}
