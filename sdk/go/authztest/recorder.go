package authztest

import (
	"context"
	"sync"

	authz "github.com/authz-service/service/sdk/go"
)

// Recorder passes questions on to another Decider, and records the decisions.
type Recorder struct {
	Decider authz.Decider

	mutex   sync.Mutex
	entries []Entry
}

// Entry is one call and its outcome.
type Entry struct {
	Question authz.Question
	Outcome  authz.Outcome
}

// Decide asks the decider behind it.
func (r *Recorder) Decide(ctx context.Context, question authz.Question, options ...authz.CallOption) (authz.Decision, error) {
	decision, err := r.Decider.Decide(ctx, question, options...)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.entries = append(r.entries, Entry{question, authz.Outcome{Decision: decision, Err: err}})
	return decision, err
}

// Entries returns the calls so far, in the order in which they ended.
func (r *Recorder) Entries() []Entry {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]Entry(nil), r.entries...)
}
