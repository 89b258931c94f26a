package authz

import (
	"context"
	"math"
	"strings"
)

const filterPath = "/v1/filter"

// FilterQuestion asks with which rows of a type the subject may do this. Properties of the resource count for all rows; it has no ID
// and no Name.
type FilterQuestion struct {
	Subject  Subject        `json:"subject"`
	Action   Action         `json:"action"`
	Resource Resource       `json:"resource"`
	Context  map[string]any `json:"context,omitempty"`
	// TakesPartial takes an upper bound where columns cannot say the answer; the filter is then Partial.
	TakesPartial bool `json:"-"`
}

// RowFilter says with which rows a subject may do something. The zero value selects none.
type RowFilter struct {
	// Kind is "all", "none" or "some".
	Kind string `json:"kind"`
	// Condition holds for the rows, where Kind is "some".
	Condition FilterCondition `json:"condition,omitempty"`
	// Partial is set where not all of these rows are allowed: ask a decision for each. Only if the question took that.
	Partial bool `json:"partial,omitempty"`
	// Policies are those that take part; there with Explain.
	Policies []FilterPolicy `json:"policies,omitempty"`
	// Revision is that at which it was found, if the decision point names it.
	Revision string `json:"revision,omitempty"`
}

// FilterCondition is a condition on rows, as JSON: {"op": "eq", "attribute": "properties.owner", "value": "alice"}.
type FilterCondition map[string]any

// FilterPolicy is a policy that takes part in a filter.
type FilterPolicy struct {
	Policy   string `json:"policy"`
	PolicyID string `json:"policy_id"`
	Effect   string `json:"effect"`
	Priority int    `json:"priority"`
}

// FilterRows finds the rows of a type with which the subject may do this, as a condition on their columns: FilterSQL says it in
// SQL. The error's code is CodeNotFilterable where columns cannot say it exactly, and CodeFilterTooLarge for lists that are too
// long.
func (c *Client) FilterRows(ctx context.Context, question FilterQuestion, options ...CallOption) (RowFilter, error) {
	o := optionsOf(options)
	found, _, err := c.filter(ctx, question, &o, nil)
	return found, err
}

// FilterParts finds the same in parts, of which each is a filter for other rows and no list is longer than PageLimit: 10,000 unless
// given. The parts together are the answer, and all are of one revision.
func (c *Client) FilterParts(ctx context.Context, question FilterQuestion, options ...CallOption) *Iterator[RowFilter] {
	o := optionsOf(options)
	return newIterator(ctx, func(ctx context.Context, token string) ([]RowFilter, string, error) {
		found, next, err := c.filter(ctx, question, &o, &page{token, o.pageLimit})
		return []RowFilter{found}, next, err
	})
}

// filter asks for a whole filter, or for a part of one.
func (c *Client) filter(ctx context.Context, question FilterQuestion, o *callOptions, part *page) (found RowFilter, next string, err error) {
	ctx, span := c.span(ctx, "authz.filter")
	defer func() { ended(span, err) }()
	type wanted struct {
		Explain bool   `json:"explain,omitempty"`
		Partial string `json:"partial,omitempty"`
	}
	var body struct {
		FilterQuestion
		Options *wanted `json:"options,omitempty"`
		Page    *page   `json:"page,omitempty"`
	}
	body.FilterQuestion, body.Page = question, part
	if question.TakesPartial {
		body.Options = &wanted{o.explain, "ask"}
	} else if o.explain {
		body.Options = &wanted{Explain: true}
	}
	text, err := encode(body)
	if err != nil {
		return RowFilter{}, "", err
	}
	r := c.ask(filterPath, text, span)
	came, err := c.send(ctx, r, o)
	if err != nil {
		return RowFilter{}, "", err
	}
	tellRevision(span, came.revision())
	var answered map[string]any
	if err := c.decode(came, r, &answered); err != nil {
		return RowFilter{}, "", err
	}
	var explained struct {
		Explanation struct {
			Policies []FilterPolicy `json:"policies"`
		} `json:"explanation"`
	}
	if err := c.decode(came, r, &explained); err != nil {
		return RowFilter{}, "", err
	}
	condition, conditional := answered["condition"]
	_, partial := answered["partial"]
	kind, _ := answered["kind"].(string)
	sound := (kind == "all" || kind == "none") && !conditional || kind == "some" && isFilterCondition(condition)
	given, inParts := answered["page"]
	paged, _ := given.(map[string]any)
	next, named := paged["next_token"].(string)
	// An upper bound or a part that nobody asked for would be taken for the answer.
	if !sound || partial && !question.TakesPartial || inParts != (part != nil) || inParts && !named {
		return RowFilter{}, "", c.notTheService(came, r)
	}
	members, _ := condition.(map[string]any)
	return RowFilter{kind, members, partial, explained.Explanation.Policies, came.revision()}, next, nil
}

// isFilterCondition says whether all of a condition is understood.
func isFilterCondition(given any) bool {
	members, ok := given.(map[string]any)
	if !ok {
		return false
	}
	switch members["op"] {
	case "and", "or":
		args, _ := members["args"].([]any)
		for _, arg := range args {
			if !isFilterCondition(arg) {
				return false
			}
		}
		return len(args) > 0 && hasOnlyMembers(members, "args")
	case "not":
		return hasOnlyMembers(members, "arg") && isFilterTest(members["arg"])
	}
	return isFilterTest(given)
}

func isFilterTest(given any) bool {
	members, ok := given.(map[string]any)
	if !ok || !isFilterAttribute(members["attribute"]) {
		return false
	}
	values, isList := members["values"].([]any)
	_, isText := members["value"].(string)
	switch members["op"] {
	case "present":
		return hasOnlyMembers(members, "attribute")
	case "eq":
		return hasOnlyMembers(members, "attribute", "value") && typeOfValue(members["value"]) != ""
	case "lt", "le", "gt", "ge":
		kind := typeOfValue(members["value"])
		return hasOnlyMembers(members, "attribute", "value") && (kind == "string" || kind == "number")
	case "in":
		// A column has values of one type: databases compare others by rules of their own.
		return hasOnlyMembers(members, "attribute", "values") && len(values) > 0 && areValues(values, typeOfValue(values[0]))
	case "hasAny", "hasOnly":
		return hasOnlyMembers(members, "attribute", "values") && isList && areValues(values, "")
	case "startsWith", "endsWith", "contains":
		return hasOnlyMembers(members, "attribute", "value") && isText
	case "same", "less", "atMost":
		return hasOnlyMembers(members, "attribute", "other") && isFilterAttribute(members["other"])
	}
	return false
}

// hasOnlyMembers refuses what nobody knows: it may change what a test means.
func hasOnlyMembers(members map[string]any, names ...string) bool {
	for _, name := range names {
		if _, ok := members[name]; !ok {
			return false
		}
	}
	return len(members) == len(names)+1
}

func isFilterAttribute(value any) bool {
	text, _ := value.(string)
	root, member, _ := strings.Cut(text, ".")
	return text == "name" || (root == "properties" || root == "parents") && member != ""
}

// areValues says whether all are values, and of that type if one is given.
func areValues(values []any, kind string) bool {
	for _, value := range values {
		if found := typeOfValue(value); found == "" || kind != "" && found != kind {
			return false
		}
	}
	return true
}

func typeOfValue(value any) string {
	switch number := value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if !math.IsInf(number, 0) && !math.IsNaN(number) {
			return "number"
		}
	}
	return ""
}
