package authz_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	authz "github.com/authz-service/service/sdk/go"
)

var question = authz.Question{
	Subject:  authz.Subject{Type: "user", ID: "alice"},
	Action:   authz.Action{Name: "read"},
	Resource: authz.Resource{Type: "invoice", ID: "INV-1"},
}

// answering stands for a decision point that gives one answer to everything.
func answering(text string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, text)
	}))
}

func connect(server *httptest.Server, options ...authz.Option) *authz.Client {
	client, err := authz.New(server.URL, options...)
	if err != nil {
		panic(err)
	}
	return client
}

func ExampleClient_IsAllowed() {
	server := answering(`{"decision":true}`)
	defer server.Close()
	client := connect(server)
	defer client.Close()

	allowed, err := client.IsAllowed(context.Background(), question)
	if err != nil {
		fmt.Println("nobody decided:", err)
	}
	fmt.Println(allowed)
	// Output: true
}

func ExampleClient_Decide() {
	server := answering(`{"decision":true,"context":{"reason":"Policy \"read\" allows it.","access_path":"direct"}}`)
	defer server.Close()
	client := connect(server)
	defer client.Close()

	decision, err := client.Decide(context.Background(), question)
	switch {
	case err != nil:
		fmt.Println("nobody decided:", err)
	case decision.Allowed:
		fmt.Println("allowed:", decision.Reason)
	default:
		fmt.Println("denied:", decision.Reason)
	}
	// Output: allowed: Policy "read" allows it.
}

func ExampleClient_Decide_undecided() {
	server := answering(`<html>a proxy's page</html>`)
	defer server.Close()
	client := connect(server)
	defer client.Close()

	_, err := client.Decide(context.Background(), question)
	var failed *authz.Error
	fmt.Println(errors.Is(err, authz.ErrNetwork), errors.As(err, &failed) && failed.Code == authz.CodeNetwork)
	// Output: true true
}

func ExampleOrDeny() {
	server := answering(`no JSON`)
	defer server.Close()
	client := connect(server)
	defer client.Close()

	decision, err := client.Decide(context.Background(), question, authz.OrDeny())
	fmt.Println(decision.Allowed, decision.Decided, errors.Is(decision.Cause, authz.ErrNetwork), err)
	// Output: false false true <nil>
}

func ExampleClient_DecideAll() {
	failed := `{"decision":false,"context":{"error":{"status":500,"code":"evaluation_failed","message":"no such attribute"}}}`
	server := answering(`{"evaluations":[{"decision":true},{"decision":false},` + failed + `]}`)
	defer server.Close()
	client := connect(server)
	defer client.Close()

	batch := authz.Batch{Subject: &question.Subject, Action: &question.Action}
	for _, id := range []string{"INV-1", "INV-2", "INV-3"} {
		batch.Evaluations = append(batch.Evaluations, authz.Evaluation{Resource: &authz.Resource{Type: "invoice", ID: id}})
	}
	outcomes, err := client.DecideAll(context.Background(), batch)
	if err != nil {
		fmt.Println(err)
	}
	for _, outcome := range outcomes {
		fmt.Println(outcome.Decision.Allowed, outcome.Err)
	}
	// Output:
	// true <nil>
	// false <nil>
	// false authz: evaluation_failed: no such attribute
}

func ExampleClient_SearchSubjects() {
	server := answering(`{"results":[{"type":"user","id":"alice"},{"type":"user","id":"bob"}]}`)
	defer server.Close()
	client := connect(server)
	defer client.Close()

	found := client.SearchSubjects(context.Background(), authz.SubjectSearch{
		Subject: authz.Subject{Type: "user"}, Action: question.Action, Resource: question.Resource,
	})
	for found.Next() {
		fmt.Println(found.Value().ID)
	}
	fmt.Println(found.Err())
	// Output:
	// alice
	// bob
	// <nil>
}

func ExampleWithBatching() {
	server := answering(`{"evaluations":[{"decision":true},{"decision":true}]}`)
	defer server.Close()
	client := connect(server, authz.WithBatching(100*time.Millisecond))
	defer client.Close()

	allowed := make(chan bool)
	for i := 0; i < 2; i++ {
		go func() {
			decision, err := client.Decide(context.Background(), question)
			allowed <- err == nil && decision.Allowed
		}()
	}
	fmt.Println(<-allowed, <-allowed)
	// Output: true true
}

func ExampleGuard() {
	server := answering(`{"decision":false,"context":{"reason":"No policy applies."}}`)
	defer server.Close()
	client := connect(server)
	defer client.Close()

	asked := func(r *http.Request) (authz.Question, error) {
		user := r.Header.Get("X-User")
		if user == "" {
			return authz.Question{}, authz.ErrUnauthenticated
		}
		one := question
		one.Subject.ID, one.Resource.ID = user, strings.TrimPrefix(r.URL.Path, "/invoices/")
		return one, nil
	}
	route := authz.Guard(client, asked)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "the invoice")
	}))
	for _, user := range []string{"bob", ""} {
		request := httptest.NewRequest(http.MethodGet, "/invoices/INV-1", nil)
		request.Header.Set("X-User", user)
		recorder := httptest.NewRecorder()
		route.ServeHTTP(recorder, request)
		fmt.Println(recorder.Code)
	}
	// Output:
	// 403
	// 401
}

// printed is a tracer that prints its spans, in place of OpenTelemetry's.
type printed struct{ name string }

func (printed) Start(ctx context.Context, name string) (context.Context, authz.Span) {
	return ctx, printed{name}
}
func (p printed) SetAttribute(name string, value any) { fmt.Println(p.name, name, value) }
func (p printed) SetError(code authz.Code)            { fmt.Println(p.name, "failed:", code) }
func (p printed) End()                                { fmt.Println(p.name, "ended") }

func ExampleWithTracer() {
	server := answering(`{"decision":true}`)
	defer server.Close()
	client := connect(server, authz.WithTracer(printed{}))
	defer client.Close()

	_, _ = client.Decide(context.Background(), question)
	// Output:
	// authz.decide authz.attempts 1
	// authz.decide authz.decision true
	// authz.decide ended
}
