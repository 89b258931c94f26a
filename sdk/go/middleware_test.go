package authz_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	authz "github.com/authz-service/service/sdk/go"
	"github.com/authz-service/service/sdk/go/authztest"
)

func mapped(r *http.Request) (authz.Question, error) {
	switch user := r.Header.Get("X-User"); user {
	case "":
		return authz.Question{}, authz.ErrUnauthenticated
	case "lost":
		return authz.Question{}, fmt.Errorf("invoice 7: %w", authz.ErrNotFound)
	case "confused":
		return authz.Question{}, errors.New("there are two of them")
	default:
		return authz.Question{
			Subject:  authz.Subject{Type: "user", ID: user},
			Action:   authz.Action{Name: "read"},
			Resource: authz.Resource{Type: "invoice", ID: "INV-1"},
		}, nil
	}
}

// lying says that all is allowed, beside an error or a decision that nobody made.
type lying struct{ err error }

func (l lying) Decide(context.Context, authz.Question, ...authz.CallOption) (authz.Decision, error) {
	return authz.Decision{Allowed: true}, l.err
}

func TestAGuardLetsOnlyAllowedRequestsThrough(t *testing.T) {
	fake := authztest.New(t)
	fake.Allow("alice", "read", "invoice", "INV-1")
	fake.Fail("carol", "read", "invoice", "INV-1")
	teapot := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		_, decided := authz.DecisionFrom(r.Context())
		if decided == (authz.UndecidedFrom(r.Context()) != nil) {
			t.Error("it is both decided and undecided, or neither")
		}
	})
	for _, row := range []struct {
		name    string
		user    string
		decider authz.Decider
		options []authz.GuardOption
		status  int
	}{
		{"allowed", "alice", fake.Client(), nil, 200},
		{"denied", "bob", fake.Client(), nil, 403},
		{"denied, in words of the application", "bob", fake.Client(), []authz.GuardOption{authz.OnDenied(teapot)}, 418},
		{"nobody decided", "carol", fake.Client(), nil, 503},
		{"nobody decided, in words of the application", "carol", fake.Client(), []authz.GuardOption{authz.OnUndecided(teapot)}, 418},
		{"nobody decided, denied on request", "carol", fake.Client(), []authz.GuardOption{authz.WithCallOptions(authz.OrDeny())}, 403},
		{"no caller", "", fake.Client(), nil, 401},
		{"no caller, in words of the application", "", fake.Client(), []authz.GuardOption{authz.OnUnauthenticated(http.NotFoundHandler())}, 404},
		{"what the mapper does not find", "lost", fake.Client(), nil, 404},
		{"what the mapper does not find, in words of the application", "lost", fake.Client(), []authz.GuardOption{authz.OnNotFound(http.RedirectHandler("/", 302))}, 302},
		{"a malformed question", "alice", lying{authz.ErrInvalidRequest}, nil, 400},
		{"a malformed question, in words of the application", "alice", lying{authz.ErrInvalidRequest}, []authz.GuardOption{authz.OnMalformed(teapot)}, 418},
		{"no endpoint for decisions", "alice", lying{authz.ErrNotFound}, nil, 503},
		{"a mapper that failed", "confused", fake.Client(), nil, 503},
		{"a permission beside an error", "alice", lying{io.EOF}, nil, 503},
		{"a permission that nobody decided", "alice", lying{}, nil, 403},
	} {
		t.Run(row.name, func(t *testing.T) {
			reached := false
			handler := authz.Guard(row.decider, mapped, row.options...)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				reached = true
				if decision, ok := authz.DecisionFrom(r.Context()); !ok || !decision.Allowed {
					t.Errorf("the handler finds %+v, %t", decision, ok)
				}
			}))
			request := httptest.NewRequest(http.MethodGet, "/", nil)
			request.Header.Set("X-User", row.user)
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			if recorder.Code != row.status || reached != (row.status == 200) {
				t.Errorf("answered %d, reached: %t; want %d", recorder.Code, reached, row.status)
			}
			if row.status == 401 && recorder.Header().Get("WWW-Authenticate") == "" {
				t.Error("a 401 says how to log in")
			}
		})
	}
}
