package authztest_test

import (
	"context"
	"errors"
	"testing"

	authz "github.com/authz-service/service/sdk/go"
	"github.com/authz-service/service/sdk/go/authztest"
)

func question(subject, resource string) authz.Question {
	return authz.Question{
		Subject:  authz.Subject{Type: "user", ID: subject},
		Action:   authz.Action{Name: "read"},
		Resource: authz.Resource{Type: "invoice", ID: resource},
	}
}

func TestTheTableAnswers(t *testing.T) {
	fake := authztest.New(t)
	fake.Allow("alice", authztest.Any, "invoice", authztest.Any)
	fake.Deny("alice", "read", "invoice", "INV-2")
	fake.Fail("alice", "read", "invoice", "INV-3")
	ctx := context.Background()
	recorder := &authztest.Recorder{Decider: fake.Client()}
	for _, row := range []struct {
		subject, resource string
		allowed           bool
		err               error
	}{
		{"alice", "INV-1", true, nil},
		{"alice", "INV-2", false, nil},
		{"alice", "INV-3", false, authz.ErrEvaluationFailed},
		{"bob", "INV-1", false, nil},
	} {
		decision, err := recorder.Decide(ctx, question(row.subject, row.resource))
		if decision.Allowed != row.allowed || !errors.Is(err, row.err) {
			t.Errorf("%s on %s: got %t and %v, want %t and %v", row.subject, row.resource, decision.Allowed, err, row.allowed, row.err)
		}
	}
	if asked, noted := fake.Asked(), recorder.Entries(); len(asked) != 4 || len(noted) != 4 || noted[3].Question.Subject.ID != "bob" {
		t.Errorf("asked %v, noted %v", asked, noted)
	}
	fake.Down(true)
	if _, err := fake.Client().Decide(ctx, question("alice", "INV-1")); !errors.Is(err, authz.ErrNetwork) {
		t.Errorf("got %v, want network while it is down", err)
	}
	fake.Down(false)
	if decision, err := fake.Client().Decide(ctx, question("alice", "INV-1")); err != nil || !decision.Allowed {
		t.Errorf("got %+v and %v once it is up again", decision, err)
	}
}

func TestBatchesOfTheTable(t *testing.T) {
	fake := authztest.New(t)
	fake.Allow("alice", "read", "invoice", "INV-1")
	if _, err := fake.Client().Discover(context.Background()); err != nil {
		t.Fatal(err)
	}
	var evaluations []authz.Evaluation
	for _, id := range []string{"INV-0", "INV-1", "INV-2"} {
		evaluations = append(evaluations, authz.Evaluation{Resource: &authz.Resource{Type: "invoice", ID: id}})
	}
	outcomes, err := fake.Client().DecideAll(context.Background(), authz.Batch{
		Subject: &authz.Subject{Type: "user", ID: "alice"}, Action: &authz.Action{Name: "read"},
		Evaluations: evaluations, Semantic: authz.PermitOnFirstPermit,
	})
	if err != nil || len(outcomes) != 3 || outcomes[0].Decision.Allowed || !outcomes[1].Decision.Allowed ||
		!errors.Is(outcomes[2].Err, authz.ErrNotEvaluated) {
		t.Errorf("got %+v and %v", outcomes, err)
	}
}

func TestSearchesFindWhatTheTableAllows(t *testing.T) {
	fake := authztest.New(t)
	fake.Allow("alice", authztest.Any, "invoice", authztest.Any)
	fake.Allow("bob", "read", "invoice", "INV-1")
	fake.Allow("carol", "read", "invoice", "INV-2")
	fake.Deny("alice", "write", "invoice", "INV-2")
	ctx, client := context.Background(), fake.Client()
	asked := question("alice", "INV-1")
	subjects, err := client.SearchSubjects(ctx, authz.SubjectSearch{
		Subject: authz.Subject{Type: "user"}, Action: asked.Action, Resource: asked.Resource,
	}, authz.PageLimit(1)).All()
	if err != nil || len(subjects) != 2 || subjects[0].ID != "alice" || subjects[1].ID != "bob" {
		t.Errorf("found %+v and %v, want alice and bob", subjects, err)
	}
	resources, err := client.SearchResources(ctx, authz.ResourceSearch{
		Subject: asked.Subject, Action: authz.Action{Name: "write"}, Resource: authz.Resource{Type: "invoice"},
	}).All()
	if err != nil || len(resources) != 1 || resources[0].ID != "INV-1" {
		t.Errorf("found %+v and %v, want INV-1", resources, err)
	}
	actions, err := client.SearchActions(ctx, authz.ActionSearch{Subject: asked.Subject, Resource: asked.Resource}).All()
	if err != nil || len(actions) != 2 || actions[0].Name != "read" {
		t.Errorf("found %+v and %v, want read and write", actions, err)
	}
}
