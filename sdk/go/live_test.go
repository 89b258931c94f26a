package authz

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// live gives a client of the programs that test/src/sdk/go-live.test.ts starts.
func live(t testing.TB, variable string, options ...Option) *Client {
	t.Helper()
	address := os.Getenv(variable)
	if address == "" {
		t.Skipf("%s names no decision point: test/src/sdk/go-live.test.ts starts one", variable)
	}
	client, err := New(address, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func administrator(t testing.TB) *Client {
	return live(t, "AUTHZ_LIVE_CLOUD", WithClientCredentials(os.Getenv("AUTHZ_LIVE_CLIENT_ID"), os.Getenv("AUTHZ_LIVE_CLIENT_SECRET")))
}

func TestLiveDecisions(t *testing.T) {
	ctx := context.Background()
	for name, client := range map[string]*Client{"cloud": administrator(t), "agent": live(t, "AUTHZ_LIVE_AGENT")} {
		t.Run(name, func(t *testing.T) {
			decision, err := client.Decide(ctx, mayAliceRead, Explain())
			if err != nil || !decision.Allowed || decision.AccessPath != "direct" || decision.PolicyID == "" ||
				decision.Explanation == nil || len(decision.Explanation.Candidates) != 1 {
				t.Errorf("got %+v and %v", decision, err)
			}
			stranger := mayAliceRead
			stranger.Subject.ID = "bob"
			if decision, err := client.Decide(ctx, stranger); err != nil || decision.Allowed || decision.Reason == "" {
				t.Errorf("got %+v and %v for a stranger", decision, err)
			}
			outcomes, err := client.DecideAll(ctx, Batch{
				Action: &mayAliceRead.Action, Resource: &mayAliceRead.Resource, Semantic: DenyOnFirstDeny, Reasons: true,
				Evaluations: []Evaluation{{Subject: &mayAliceRead.Subject}, {Subject: &stranger.Subject}, {Subject: &mayAliceRead.Subject}},
			})
			if err != nil || len(outcomes) != 3 || !outcomes[0].Decision.Allowed || outcomes[0].Decision.Reason == "" ||
				outcomes[1].Decision.Allowed || !errors.Is(outcomes[2].Err, ErrNotEvaluated) {
				t.Errorf("got %+v and %v", outcomes, err)
			}
			found, err := client.SearchSubjects(ctx, SubjectSearch{
				Subject: Subject{Type: "user"}, Action: mayAliceRead.Action, Resource: mayAliceRead.Resource,
			}, PageLimit(1)).All()
			if err != nil || len(found) != 1 || found[0].ID != "alice" {
				t.Errorf("found %+v and %v", found, err)
			}
			actions, err := client.SearchActions(ctx, ActionSearch{Subject: mayAliceRead.Subject, Resource: mayAliceRead.Resource}).All()
			if err != nil || len(actions) != 1 || actions[0].Name != "read" {
				t.Errorf("found %+v and %v", actions, err)
			}
			if known, err := client.Discover(ctx); err != nil || known.Evaluations == "" {
				t.Errorf("discovered %+v and %v", known, err)
			}
			if decision, err := client.Decide(ctx, mayAliceRead); err != nil || !decision.Allowed {
				t.Errorf("got %+v and %v at the discovered endpoint", decision, err)
			}
		})
	}
	if status, err := live(t, "AUTHZ_LIVE_AGENT").AgentStatus(ctx); err != nil || status.Revision == nil {
		t.Errorf("the agent says %+v and %v", status, err)
	}
}

func TestLiveJoinedDecisions(t *testing.T) {
	client := live(t, "AUTHZ_LIVE_AGENT", WithBatching(20*time.Millisecond))
	for _, outcome := range together(client, []string{"INV-1", "INV-2", "INV-3"}) {
		if outcome.Err != nil || !outcome.Decision.Allowed || outcome.Decision.Reason == "" {
			t.Errorf("got %+v", outcome)
		}
	}
}

func TestLiveManagement(t *testing.T) {
	client, ctx := administrator(t), context.Background()
	made, err := client.Roles().Create(ctx, NewRole{Name: "clerk", Description: "files"})
	if err != nil || made.ID == "" || made.CreatedAt.IsZero() {
		t.Fatalf("made %+v and %v", made, err)
	}
	changed, err := client.Roles().Update(ctx, "clerk", Patch{"description": nil}, IfMatch(made.Revision))
	if err != nil || changed.Description != "" {
		t.Errorf("changed %+v and %v", changed, err)
	}
	if _, err := client.Roles().Update(ctx, made.ID, Patch{"description": "x"}, IfMatch(made.Revision)); !errors.Is(err, ErrPrecondition) {
		t.Errorf("got %v, want precondition_failed", err)
	}
	key, err := client.APIKeys().Create(ctx, NewAPIKey{Name: "reader", Scopes: []string{"records:read"}})
	if err != nil || key.Secret == "" {
		t.Fatalf("made a key and %v", err)
	}
	reader := live(t, "AUTHZ_LIVE_CLOUD", WithAPIKey(key.Secret))
	list, err := reader.Agents(ctx, AgentQuery{Enforces: "1", Wait: time.Second})
	if err != nil || list.Wanted != 1 || !list.Complete || list.Total != len(list.Agents) {
		t.Errorf("the agents are %+v and %v", list, err)
	}
	if retired, err := client.RetireAgents(ctx, "", "no key"); err != nil || retired != 0 {
		t.Errorf("retired %d and %v", retired, err)
	}
	if retired, err := client.RetireAgent(ctx, "", "nobody"); err != nil || retired != 0 {
		t.Errorf("retired %d and %v", retired, err)
	}
	if who, err := reader.WhoAmI(ctx); err != nil || who.Credential.Name != "reader" {
		t.Errorf("the key is %+v and %v", who, err)
	}
	if err := reader.Roles().Delete(ctx, "clerk"); !errors.Is(err, ErrForbidden) {
		t.Errorf("got %v, want forbidden", err)
	}
	limits := &APIKeyLimits{Stacks: []string{"ours"}}
	key, err = client.APIKeys().Create(ctx, NewAPIKey{Name: "limited", Scopes: []string{"records:write"}, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	writer := live(t, "AUTHZ_LIVE_CLOUD", WithAPIKey(key.Secret)).Roles()
	if _, err := writer.Create(ctx, NewRole{Name: "guard"}); err == nil || asError(err).Code != CodeOutsideLimits {
		t.Errorf("got %v without a stack, want outside_limits", err)
	}
	if guard, err := writer.Create(ctx, NewRole{Name: "guard"}, Stack("ours")); err != nil || guard.ManagedBy != "ours" {
		t.Errorf("made %+v and %v", guard, err)
	}
	if guard, err := writer.Update(ctx, "guard", Patch{"description": "watches"}, Stack("ours")); err != nil || guard.Description != "watches" {
		t.Errorf("changed %+v and %v", guard, err)
	}
	if err := writer.Delete(ctx, "guard", Stack("ours")); err != nil {
		t.Error(err)
	}
	result, err := client.Apply(ctx, Changeset{Changes: []Change{
		MoveRecord("role/clerk", "role/officer"),
		CreateRecord("subject", NewSubject{Type: "user", ID: "zoë@example.org", Properties: map[string]any{"level": 3}}),
		CreateRecord("role_assignment", NewRoleAssignment{Role: "officer", EntityType: "subject", Entity: "user/zoë@example.org"}),
	}}, IdempotencyKey("once"))
	if err != nil || result.Added != 2 {
		t.Fatalf("applied %+v and %v", result, err)
	}
	if again, err := client.Subjects().Get(ctx, "user/zoë@example.org"); err != nil || again.Properties["level"] != 3.0 {
		t.Errorf("got %+v and %v", again, err)
	}
	roles, err := client.Roles().List(ctx, Filter{"name": "officer"}, PageLimit(1)).All()
	if err != nil || len(roles) != 1 || roles[0].ID != made.ID {
		t.Errorf("listed %+v and %v", roles, err)
	}
	state, err := client.State(ctx)
	if err != nil || state.Revision != result.Revision {
		t.Errorf("the state is of %q, want %q; %v", state.Revision, result.Revision, err)
	}
	if _, err := client.State(ctx, IfNoneMatch(state.Revision)); !errors.Is(err, ErrNotModified) {
		t.Errorf("got %v, want not_modified", err)
	}
	if bundle, err := client.Bundle(ctx); err != nil || bundle.ETag == "" || !bytes.HasPrefix(bundle.Archive, []byte{0x1f, 0x8b}) {
		t.Errorf("got a bundle %q of %d bytes and %v", bundle.ETag, len(bundle.Archive), err)
	}
	since := ""
	named := AuditQuery{Record: "role/officer", SearchedSince: func(revision string, _ time.Time) { since = revision }}
	if changes, err := client.Audit(ctx, named).All(); err != nil || len(changes) == 0 || since == "" {
		t.Errorf("audited %d commits of a record since %q and %v", len(changes), since, err)
	}
	origins := &Origins{Repository: "https://git.test/acme", Commit: "4f2a1c9", Places: map[string]map[string]int{"a.yaml": {"role/porter": 3}}}
	placed, err := client.Apply(ctx, Changeset{Stack: "tree", Origins: origins, Changes: []Change{CreateRecord("role", NewRole{Name: "porter"})}})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := client.Origins(ctx, []string{"role/porter"}); err != nil || len(found) != 1 || found[0].Path != "a.yaml" || found[0].Line != 3 {
		t.Errorf("the origins are %+v and %v", found, err)
	}
	if link, err := client.ConsoleLink(ctx); err != nil || !strings.Contains(link.URL, "/console") {
		t.Errorf("the link is %+v and %v", link, err)
	}
	if violations, err := client.AccessRuleViolations(ctx); err != nil || len(violations.Violations) != 0 {
		t.Errorf("the violations are %+v and %v", violations, err)
	}
	// The bundle that this test has fetched itself counts as an agent that does not report.
	if list, err := client.Enforced(ctx, AgentQuery{Enforces: placed.Revision, Wait: 20 * time.Second}); err != nil || list.Enforcing != list.Total || list.Complete {
		t.Errorf("enforced by %+v and %v", list, err)
	}
	if rotated, err := client.APIKeys().RotateSecret(ctx, "limited", time.Minute); err != nil || rotated.Secret == "" || rotated.FormerUntil == nil {
		t.Errorf("rotated %v and %v", rotated.FormerUntil, err)
	}
	past := live(t, "AUTHZ_LIVE_CLOUD", WithClientCredentials(os.Getenv("AUTHZ_LIVE_CLIENT_ID"), os.Getenv("AUTHZ_LIVE_CLIENT_SECRET")), WithAt(result.Revision))
	if _, err := past.Roles().Get(ctx, "porter"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v of the past, want not_found", err)
	}
	commits, err := client.Audit(ctx, AuditQuery{}, PageLimit(2)).All()
	if err != nil || len(commits) < 6 {
		t.Errorf("audited %d commits and %v", len(commits), err)
	}
	if _, err := client.Roles().Get(ctx, "clerk"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want not_found", err)
	}
	var refused *Error
	if _, err := client.Policies().Create(ctx, NewPolicy{Name: "p", Effect: "MAYBE"}); !errors.As(err, &refused) || len(refused.Fields) == 0 || refused.RequestID == "" {
		t.Errorf("got %+v, want fields at fault", refused)
	}
	tenant, err := client.CreateTenant(ctx, "go")
	if err != nil || tenant.ClientSecret == "" {
		t.Fatalf("made a tenant and %v", err)
	}
	if erased, err := client.Erase(ctx, "go", "user/nobody", []string{"email"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("erased %+v and %v, want not_found", erased, err)
	}
	if off, err := client.DisabledCredentials(ctx, "go"); err != nil || len(off) != 0 {
		t.Errorf("%d credentials are off; %v", len(off), err)
	}
	if on, err := client.EnableCredentials(ctx, "go", nil); err != nil || len(on) != 0 {
		t.Errorf("turned %v on; %v", on, err)
	}
	if err := client.DeleteTenant(ctx, "go"); err != nil {
		t.Error(err)
	}
}
