package authz

import (
	"context"
	"errors"
	"net/url"
	"time"
)

// asked is what a call of management in the vectors is asked.
type asked struct {
	Operations     []SCIMOperation   `json:"operations"`
	Addresses      []string          `json:"addresses"`
	Enforces       string            `json:"enforces"`
	Revision       string            `json:"revision"`
	WaitSeconds    int               `json:"waitSeconds"`
	TimeoutMs      int               `json:"timeoutMs"`
	Tenant         string            `json:"tenant"`
	ID             string            `json:"id"`
	Credential     string            `json:"credential"`
	Credentials    []string          `json:"credentials"`
	Revoke         bool              `json:"revoke"`
	Since          string            `json:"since"`
	Until          string            `json:"until"`
	Actor          string            `json:"actor"`
	Record         string            `json:"record"`
	Subject        string            `json:"subject"`
	Properties     []string          `json:"properties"`
	Name           string            `json:"name"`
	Filter         Filter            `json:"filter"`
	Limit          int               `json:"limit"`
	Fields         NewRole           `json:"fields"`
	Stack          string            `json:"stack"`
	Patch          Patch             `json:"patch"`
	IfMatch        *int64            `json:"ifMatch"`
	IfNoneMatch    string            `json:"ifNoneMatch"`
	OverlapSeconds int               `json:"overlapSeconds"`
	Changes        []Change          `json:"changes"`
	Access         bool              `json:"access"`
	Decision       string            `json:"decision"`
	BaseRevision   string            `json:"baseRevision"`
	Method         string            `json:"method"`
	Path           string            `json:"path"`
	Query          map[string]string `json:"query"`
	Body           any               `json:"body"`
}

func (a asked) options(others []CallOption) []CallOption {
	if a.Stack != "" {
		others = append(others, Stack(a.Stack))
	}
	if a.IfMatch != nil {
		others = append(others, IfMatch(*a.IfMatch))
	}
	if a.IfNoneMatch != "" {
		others = append(others, IfNoneMatch(a.IfNoneMatch))
	}
	if a.Limit > 0 {
		others = append(others, PageLimit(a.Limit))
	}
	return others
}

// managedCalls are calls of management by their names in the vectors.
var managedCalls = map[string]func(context.Context, *Client, asked, []CallOption) (any, error){
	"changeset": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.Apply(ctx, Changeset{Changes: a.Changes}, o...)
	},
	"state": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		state, err := c.State(ctx, a.options(o)...)
		if errors.Is(err, ErrNotModified) {
			return nil, nil
		}
		return state, err
	},
	"bundle": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		bundle, err := c.Bundle(ctx, append(o, OfTenant(a.Tenant))...)
		return map[string]any{"etag": bundle.ETag}, err
	},
	"origins": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.Origins(ctx, a.Addresses, o...)
	},
	"whoami": func(ctx context.Context, c *Client, _ asked, o []CallOption) (any, error) { return c.WhoAmI(ctx, o...) },
	"consoleLink": func(ctx context.Context, c *Client, _ asked, o []CallOption) (any, error) {
		return c.ConsoleLink(ctx, o...)
	},
	"accessRuleViolations": func(ctx context.Context, c *Client, _ asked, o []CallOption) (any, error) {
		return c.AccessRuleViolations(ctx, o...)
	},
	"agents": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.Agents(ctx, AgentQuery{a.Enforces, time.Duration(a.WaitSeconds) * time.Second, a.Tenant}, o...)
	},
	"enforced": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.Enforced(ctx, AgentQuery{Enforces: a.Revision, Wait: time.Duration(a.TimeoutMs) * time.Millisecond}, o...)
	},
	"retireAgent": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.RetireAgent(ctx, a.Tenant, a.ID, o...)
	},
	"retireAgents": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.RetireAgents(ctx, a.Tenant, a.Credential, o...)
	},
	"agentStatus": func(ctx context.Context, c *Client, _ asked, o []CallOption) (any, error) {
		return c.AgentStatus(ctx, o...)
	},
	"rotateBundleKeys": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.RotateBundleKeys(ctx, a.Revoke, o...)
	},
	"audit": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return orEmpty(c.Audit(ctx, AuditQuery{Since: a.Since, Until: a.Until, Actor: a.Actor, Record: a.Record, Subject: a.Subject}, o...).All())
	},
	"tenantAudit": func(ctx context.Context, c *Client, _ asked, o []CallOption) (any, error) {
		return orEmpty(c.TenantAudit(ctx, o...).All())
	},
	"tenants.list": func(ctx context.Context, c *Client, _ asked, o []CallOption) (any, error) {
		return orEmpty(c.Tenants(ctx, o...).All())
	},
	"tenants.get": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.Tenant(ctx, a.Name, o...)
	},
	"tenants.create": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.CreateTenant(ctx, a.Name, o...)
	},
	"tenants.delete": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return nil, c.DeleteTenant(ctx, a.Name, o...)
	},
	"tenants.erase": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.Erase(ctx, a.Name, a.Subject, a.Properties, o...)
	},
	"tenants.disabledCredentials": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.DisabledCredentials(ctx, a.Name, o...)
	},
	"tenants.enableCredentials": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.EnableCredentials(ctx, a.Name, a.Credentials, o...)
	},
	"directories.status": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.DirectoryStatus(ctx, a.Name, a.Access, o...)
	},
	"directories.decide": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.DecideHeldChanges(ctx, a.Name, HeldDecision(a.Decision), o...)
	},
	"directories.plan": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.PlanDirectory(ctx, a.Name, a.Operations, o...)
	},
	"directories.adopt": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.AdoptForDirectory(ctx, a.Name, Adoption{a.Addresses, a.BaseRevision}, o...)
	},
	"directories.scim": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		query := url.Values{}
		for name, value := range a.Query {
			query.Set(name, value)
		}
		return c.SCIM(ctx, SCIMRequest{a.Method, a.Path, query, a.Body}, o...)
	},
	"tenants.deleteDisabledCredentials": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.DeleteDisabledCredentials(ctx, a.Name, a.Credentials, o...)
	},
	"records.list": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return orEmpty(c.Roles().List(ctx, a.Filter, a.options(o)...).All())
	},
	"records.get": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.Roles().Get(ctx, a.Name, o...)
	},
	"records.create": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.Roles().Create(ctx, a.Fields, a.options(o)...)
	},
	"records.update": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.Roles().Update(ctx, a.Name, a.Patch, a.options(o)...)
	},
	"records.delete": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return nil, c.Roles().Delete(ctx, a.Name, a.options(o)...)
	},
	"records.rotateSecret": func(ctx context.Context, c *Client, a asked, o []CallOption) (any, error) {
		return c.APIKeys().RotateSecret(ctx, a.Name, time.Duration(a.OverlapSeconds)*time.Second, o...)
	},
}

// orEmpty gives an empty list for none, as the vectors write it.
func orEmpty[T any](all []T, err error) (any, error) {
	return append([]T{}, all...), err
}

// holds says whether what is found has all that is wanted.
func holds(found, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		members, ok := found.(map[string]any)
		for name, one := range wanted {
			ok = ok && holds(members[name], one)
		}
		return ok
	case []any:
		items, ok := found.([]any)
		if !ok || len(items) != len(wanted) {
			return false
		}
		for i, one := range wanted {
			ok = ok && holds(items[i], one)
		}
		return ok
	}
	return found == wanted
}
