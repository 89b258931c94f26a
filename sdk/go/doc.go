// Package authz asks an authorization decision point: the cloud, an agent beside the application, or any other that
// speaks AuthZEN 1.0. It needs only the standard library.
//
//	client, err := authz.New("http://127.0.0.1:8080", authz.WithAPIKey(key))
//	…
//	allowed, err := client.IsAllowed(ctx, authz.Question{
//		Subject:  authz.Subject{Type: "user", ID: "alice"},
//		Action:   authz.Action{Name: "read"},
//		Resource: authz.Resource{Type: "invoice", ID: "INV-1"},
//	})
//	switch {
//	case err != nil: // nobody decided: err is an *authz.Error with a code
//	case allowed:
//	default: // denied; Decide tells why
//	}
//
// A question has three outcomes: allowed, denied, or an error because it could not be decided. No option turns the third
// into the first; a call that wants a denial instead of the error says so with [OrDeny]. Decisions are never cached.
//
// Every call takes a context, whose deadline and cancellation hold at each step, waits included. Unless the client or
// the call says otherwise, a decision takes at most 2 seconds, and every other call at most 2 minutes.
package authz
