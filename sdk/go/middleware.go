package authz

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// Decider decides. It is a Client, or a stand-in for one in tests.
type Decider interface {
	Decide(ctx context.Context, question Question, options ...CallOption) (Decision, error)
}

// Mapper says what a request asks for. It returns ErrUnauthenticated where nobody is logged in, and ErrNotFound where what is
// asked for is not there.
type Mapper func(*http.Request) (Question, error)

// ErrUnauthenticated is a mapper's answer to a request without a caller.
var ErrUnauthenticated = errors.New("authz: the request has no caller")

// GuardOption changes how a guard refuses.
type GuardOption func(*guard)

// OnUnauthenticated replaces the 401 that answers a request without a caller.
func OnUnauthenticated(handler http.Handler) GuardOption {
	return func(g *guard) { g.unauthenticated = handler }
}

// OnDenied replaces the 403 that answers a denial; DecisionFrom has it.
func OnDenied(handler http.Handler) GuardOption { return func(g *guard) { g.denied = handler } }

// OnNotFound replaces the 404 for what the mapper does not find.
func OnNotFound(handler http.Handler) GuardOption { return func(g *guard) { g.notFound = handler } }

// OnMalformed replaces the 400 for a question that the decision point calls malformed; UndecidedFrom has the error.
func OnMalformed(handler http.Handler) GuardOption { return func(g *guard) { g.malformed = handler } }

// OnUndecided replaces the 503 for a request that could not be decided; UndecidedFrom has the error.
func OnUndecided(handler http.Handler) GuardOption { return func(g *guard) { g.undecided = handler } }

// WithCallOptions passes options to each decision. OrDeny, among them, turns a 503 into a 403.
func WithCallOptions(options ...CallOption) GuardOption {
	return func(g *guard) { g.options = append(g.options, options...) }
}

type guard struct {
	decider         Decider
	mapper          Mapper
	next            http.Handler
	unauthenticated http.Handler
	denied          http.Handler
	undecided       http.Handler
	notFound        http.Handler
	malformed       http.Handler
	options         []CallOption
}

// Guard lets only allowed requests through. It answers 401 without a caller, 403 on a denial, 404 where the mapper finds
// nothing, 400 for a malformed question, and 503 if nothing could be decided, which includes a mapper that failed otherwise. The handlers behind it find the decision by DecisionFrom.
func Guard(decider Decider, mapper Mapper, options ...GuardOption) func(http.Handler) http.Handler {
	if decider == nil || mapper == nil {
		panic("authz: a guard needs a decider and a mapper")
	}
	return func(next http.Handler) http.Handler {
		g := &guard{
			decider:         decider,
			mapper:          mapper,
			next:            next,
			unauthenticated: refusal(http.StatusUnauthorized, "A caller is required."),
			denied:          refusal(http.StatusForbidden, "This is not allowed."),
			notFound:        refusal(http.StatusNotFound, "There is no such thing."),
			malformed:       refusal(http.StatusBadRequest, "The request asks for something that cannot be asked about."),
			undecided:       refusal(http.StatusServiceUnavailable, "Whether this is allowed could not be decided. Try again later."),
		}
		for _, option := range options {
			option(g)
		}
		return g
	}
}

// ServeHTTP asks, and lets the request through where the answer allows it.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	question, err := g.mapper(r)
	if errors.Is(err, ErrUnauthenticated) {
		g.unauthenticated.ServeHTTP(w, r)
		return
	}
	if codeIn(err) == CodeNotFound {
		g.notFound.ServeHTTP(w, r)
		return
	}
	var decision Decision
	if err == nil {
		decision, err = g.decider.Decide(r.Context(), question, g.options...)
	}
	r = r.WithContext(context.WithValue(r.Context(), guarded{}, Outcome{decision, err}))
	switch {
	case codeIn(err) == CodeInvalidRequest:
		g.malformed.ServeHTTP(w, r)
	case err != nil:
		g.undecided.ServeHTTP(w, r)
	case decision.Allowed && decision.Decided:
		g.next.ServeHTTP(w, r)
	default:
		g.denied.ServeHTTP(w, r)
	}
}

// codeIn is the code of an *Error within err; empty if there is none.
func codeIn(err error) Code {
	var failed *Error
	if errors.As(err, &failed) {
		return failed.Code
	}
	return ""
}

type guarded struct{}

// DecisionFrom returns the decision on the request that this context belongs to. It returns false without a guard, and
// if nothing could be decided.
func DecisionFrom(ctx context.Context) (Decision, bool) {
	outcome, ok := ctx.Value(guarded{}).(Outcome)
	return outcome.Decision, ok && outcome.Err == nil
}

// UndecidedFrom returns the error why the request that this context belongs to could not be decided; nil if it was
// decided.
func UndecidedFrom(ctx context.Context) error {
	outcome, _ := ctx.Value(guarded{}).(Outcome)
	return outcome.Err
}

// refusal says no more than the status: why it was denied is for the log of the application.
func refusal(status int, detail string) http.Handler {
	body, _ := json.Marshal(map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Cache-Control", "no-store")
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
}
