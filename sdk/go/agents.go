package authz

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ReportedAgent is an agent as it reports itself: claims, which nobody has verified. What is nil is not known.
type ReportedAgent struct {
	ID string `json:"id"`
	// Name is its machine's; nil, like the credential, if an operator of another tenant fetches for it.
	Name       *string `json:"name"`
	Version    *string `json:"version"`
	Credential *struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"credential"`
	// Revision is what it serves; nil if it serves nothing.
	Revision *string `json:"revision"`
	// Publishes: it is a publisher, whose revision is what it has published, and nobody knows who reads that.
	Publishes bool `json:"publishes"`
	// Lag is by how many revisions it is behind; nil if it serves nothing, or what the tenant never had.
	Lag *int `json:"lag"`
	// Enforces: it serves the revision that the list is about, or a later one.
	Enforces bool `json:"enforces"`
	// Expired: it has been silent for longer than its own maximum age, so that it decides nothing.
	Expired bool `json:"expired"`
	// Diverged: it claims a revision that the tenant never had.
	Diverged      bool      `json:"diverged"`
	AgeSeconds    *int      `json:"age_seconds"`
	MaxAgeSeconds *int      `json:"max_age_seconds"`
	Error         *Code     `json:"error"`
	LastSeen      time.Time `json:"last_seen"`
}

// AgentList holds the agents of a tenant, those first that do not enforce the revision.
type AgentList struct {
	// Revision is the newest one.
	Revision string `json:"revision"`
	// Wanted is the number of the revision that the list is about.
	Wanted int `json:"wanted"`
	// Enforced: every agent enforces that revision or is expired, the list is complete, and nobody publishes.
	Enforced  bool `json:"enforced"`
	Total     int  `json:"total"`
	Enforcing int  `json:"enforcing"`
	// Expired is how many of the others decide nothing any more.
	Expired int `json:"expired"`
	// Publishers is how many of all of them publish, for readers that nobody knows.
	Publishers int `json:"publishers"`
	// Complete is false while agents may be missing: there are too many, or some asked lately without a report.
	Complete bool            `json:"complete"`
	Agents   []ReportedAgent `json:"agents"`
	// More: there are more than are listed.
	More bool `json:"more"`
}

// AgentQuery says which agents are wanted. Its zero value asks who enforces the newest revision of the own tenant.
type AgentQuery struct {
	// Enforces is the revision to ask about, "42.9f86d081884c7d65" or "42".
	Enforces string
	// Wait holds the answer until all enforce it, for at most so long, in whole seconds: at most two thirds of what an
	// attempt may take, which is 20 seconds unless the client or the call says otherwise.
	Wait time.Duration
	// Tenant is another tenant's name or id, for operators.
	Tenant string
}

// Agents lists the agents of the tenant, as they report themselves.
func (c *Client) Agents(ctx context.Context, query AgentQuery, options ...CallOption) (AgentList, error) {
	var list AgentList
	values := url.Values{}
	if query.Enforces != "" {
		values.Set("enforces", query.Enforces)
	}
	if query.Wait > 0 {
		values.Set("wait", strconv.Itoa(c.heldSeconds(query.Wait, options)))
	}
	err := c.manage(ctx, c.agentRequest(http.MethodGet, "/v1/agents", "/v1/agents", query.Tenant, values), nil, options, &list)
	return list, err
}

const (
	// grace is how long the last answer may take to come, once the time for waiting has run out.
	grace = 10 * time.Second
	// askedEvery: the cloud is asked no more often than this who enforces a revision.
	askedEvery = time.Second
)

// Enforced waits until every agent of the tenant enforces the revision of the query, and at most for its Wait; Enforced of the
// list says which. An agent that is silent counts once its own maximum age has run out. Nothing is known to be enforced as long
// as somebody publishes bundles, whose readers nobody knows. A cloud that is away for a while, or busy, is asked again until then.
func (c *Client) Enforced(ctx context.Context, query AgentQuery, options ...CallOption) (AgentList, error) {
	ends := time.Now().Add(query.Wait)
	for {
		asked := time.Now()
		if query.Wait = ends.Sub(asked); query.Wait < 0 {
			query.Wait = 0
		}
		list, err := c.Agents(ctx, query, append(append([]CallOption{}, options...), Timeout(query.Wait+grace))...)
		// Waiting does not complete a list, and makes no publisher's readers known.
		known := err == nil && list.Complete && list.Enforcing+list.Expired < list.Total
		over := !time.Now().Before(ends)
		if err == nil && (list.Enforced || !known || over) || err != nil && (over || !passing(err)) {
			return list, err
		}
		next := asked.Add(askedEvery)
		if next.After(ends) {
			next = ends
		}
		if pause(ctx, time.Until(next)) != nil {
			return list, c.ended(ctx, c.agentRequest(http.MethodGet, "/v1/agents", "/v1/agents", "", url.Values{}), nil)
		}
	}
}

// passing says whether the same request may well be answered later.
func passing(err error) bool {
	failed := asError(err)
	return failed.Code == CodeNetwork || failed.Code == CodeTimeout || stateOf(failed.Status) != final
}

// RetireAgent takes an agent that is gone for good off the list, for operators. It had so many entries. An empty tenant is
// the own one.
func (c *Client) RetireAgent(ctx context.Context, tenant, id string, options ...CallOption) (int, error) {
	var answered struct {
		Retired int `json:"retired"`
	}
	r := c.agentRequest(http.MethodDelete, "/v1/agents/{id}", "/v1/agents/"+url.PathEscape(id), tenant, url.Values{})
	r.refused = unnameable(id, "an agent")
	err := c.manage(ctx, r, nil, options, &answered)
	return answered.Retired, err
}

// RetireAgents does the same with all agents that have reported by a credential, which is named by its id, or by its name if
// that is enough.
func (c *Client) RetireAgents(ctx context.Context, tenant, credential string, options ...CallOption) (int, error) {
	var answered struct {
		Retired int `json:"retired"`
	}
	query := url.Values{"credential": {credential}}
	r := c.agentRequest(http.MethodDelete, "/v1/agents", "/v1/agents", tenant, query)
	err := c.manage(ctx, r, nil, options, &answered)
	return answered.Retired, err
}

func (c *Client) agentRequest(method, route, path, tenant string, query url.Values) request {
	if tenant != "" {
		query.Set("tenant", tenant)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.managed(method, route, path)
}

// heldSeconds is how long the answer is held back: there must be time left in the attempt for it to come.
func (c *Client) heldSeconds(wanted time.Duration, options []CallOption) int {
	o, longest := optionsOf(options), c.management.attempt
	if o.attempt > 0 {
		longest = o.attempt
	}
	total := c.management.total
	if o.total > 0 {
		total = o.total
	}
	if total < longest {
		longest = total
	}
	whole, most := (wanted+time.Second-1)/time.Second, longest*2/3/time.Second
	if most < whole {
		whole = most
	}
	return int(whole)
}
