package authz

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

const wellKnown = "/.well-known/authzen-configuration"

// Metadata is what a decision point says of itself (AuthZEN 1.0 section 9). An endpoint that it lacks is empty.
type Metadata struct {
	PolicyDecisionPoint string `json:"policy_decision_point"`
	Evaluation          string `json:"access_evaluation_endpoint"`
	Evaluations         string `json:"access_evaluations_endpoint,omitempty"`
	SearchSubject       string `json:"search_subject_endpoint,omitempty"`
	SearchResource      string `json:"search_resource_endpoint,omitempty"`
	SearchAction        string `json:"search_action_endpoint,omitempty"`
}

// Metadata asks the decision point what it says of itself. A document that speaks for another decision point, or whose
// endpoints leave the origin of the base address, is refused: the credential would go there.
func (c *Client) Metadata(ctx context.Context, options ...CallOption) (*Metadata, error) {
	o := optionsOf(options)
	ctx, span := c.span(ctx, "authz.metadata")
	found, err := c.metadata(ctx, &o, span)
	ended(span, err)
	return found, err
}

// Discover asks for the metadata, and has decisions and searches use its endpoints from then on. Those that it lacks stay at
// AuthZEN's own paths, except for batches: without an endpoint of them, questions are asked one by one.
func (c *Client) Discover(ctx context.Context, options ...CallOption) (*Metadata, error) {
	found, err := c.Metadata(ctx, options...)
	if err == nil {
		c.endpoints.Store(found)
	}
	return found, err
}

func (c *Client) metadata(ctx context.Context, o *callOptions, span Span) (*Metadata, error) {
	r := request{method: http.MethodGet, route: wellKnown, target: c.root + wellKnown, profile: c.management, span: span}
	if c.base.Path != "" {
		// AuthZEN puts the path of the decision point behind the well-known one (section 9.2); a proxy, before it.
		r.target = origin(c.base) + wellKnown + c.base.EscapedPath()
	}
	came, err := c.send(ctx, r, o)
	if err != nil && asError(err).Status == http.StatusNotFound && c.base.Path != "" {
		r.target = c.root + wellKnown
		came, err = c.send(ctx, r, o)
	}
	if err != nil {
		return nil, err
	}
	var found Metadata
	if err := c.decode(came, r, &found); err != nil {
		return nil, err
	}
	if strings.TrimRight(found.PolicyDecisionPoint, "/") != c.root {
		return nil, failure(CodeNetwork, "%s says that it speaks for the decision point %q: give that as base address, or mend its configuration.",
			c.address, found.PolicyDecisionPoint)
	}
	if found.Evaluation == "" {
		return nil, failure(CodeNetwork, "%s%s names no access_evaluation_endpoint: that is not a decision point.", c.address, wellKnown)
	}
	for _, endpoint := range []string{found.Evaluation, found.Evaluations, found.SearchSubject, found.SearchResource, found.SearchAction} {
		if endpoint == "" {
			continue
		}
		address, err := url.Parse(endpoint)
		if err != nil || address.User != nil || address.Fragment != "" || origin(address) != origin(c.base) {
			return nil, failure(CodeNetwork, "%s names the endpoint %q, which leaves its origin: the credential is not sent there.", c.address, endpoint)
		}
	}
	return &found, nil
}

// endpoint is where one of AuthZEN's paths is.
func (c *Client) endpoint(path string) string {
	if known := c.endpoints.Load(); known != nil {
		found := map[string]string{
			evaluationPath:               known.Evaluation,
			evaluationsPath:              known.Evaluations,
			"/access/v1/search/subject":  known.SearchSubject,
			"/access/v1/search/resource": known.SearchResource,
			"/access/v1/search/action":   known.SearchAction,
		}[path]
		if found != "" {
			return found
		}
	}
	return c.root + path
}

// withoutBatches says whether the decision point takes no batches, by its metadata or its answers.
func (c *Client) withoutBatches() bool {
	known := c.endpoints.Load()
	return c.batchless.Load() || known != nil && known.Evaluations == ""
}
