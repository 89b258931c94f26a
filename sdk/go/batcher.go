package authz

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// batchMax is how many questions the service takes in one request.
const batchMax = 1000

// batcher joins the decisions that are asked within a window. Nothing runs between windows.
type batcher struct {
	client *Client
	window time.Duration
	// alone: the decision point has no batches.
	alone atomic.Bool

	mutex sync.Mutex
	open  *joined
}

func newBatcher(client *Client, window time.Duration) *batcher {
	return &batcher{client: client, window: window}
}

// joined is one request in the making. All but callers belongs to the mutex of the batcher until it is sent.
type joined struct {
	questions []json.RawMessage
	results   []chan Outcome
	// deadline is that of the most patient caller.
	deadline time.Time
	timer    *time.Timer
	// callers are those who still wait; the last to give up cancels the request.
	callers atomic.Int64
	ctx     context.Context
	cancel  context.CancelFunc
}

// askAlone tells a caller to ask by itself.
var askAlone = &Error{Code: "ask_alone"}

// decide waits for an answer among those of others, until the caller's own deadline.
func (b *batcher) decide(ctx context.Context, question Question, o *callOptions, span Span) Outcome {
	if b.alone.Load() || b.client.withoutBatches() {
		return b.client.decideAlone(ctx, question, o, span)
	}
	encoded, err := encode(&question)
	if err != nil {
		return Outcome{Err: err}
	}
	profile := b.client.decision
	if o.total > 0 {
		profile.total = o.total
	}
	overall, cancel := context.WithTimeout(ctx, profile.total)
	defer cancel()
	deadline, _ := overall.Deadline()
	group, result := b.join(encoded, deadline)
	select {
	case outcome := <-result:
		group.leave()
		if outcome.Err == askAlone {
			return b.client.decideAlone(overall, question, o, span)
		}
		return outcome
	case <-overall.Done():
		group.leave()
		return Outcome{Err: b.client.ended(ctx, request{method: http.MethodPost, route: evaluationsPath, profile: profile}, nil)}
	}
}

func (b *batcher) join(question json.RawMessage, deadline time.Time) (*joined, chan Outcome) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	group := b.open
	if group == nil {
		group = &joined{}
		group.ctx, group.cancel = context.WithCancel(b.client.life)
		// Held until it is sent, so that a caller who leaves within the window does not cancel those who come after it.
		group.callers.Add(1)
		group.timer = time.AfterFunc(b.window, func() { b.close(group) })
		b.open = group
	}
	result := make(chan Outcome, 1)
	group.questions = append(group.questions, question)
	group.results = append(group.results, result)
	group.callers.Add(1)
	if deadline.After(group.deadline) {
		group.deadline = deadline
	}
	if len(group.questions) == batchMax {
		b.open = nil
		if group.timer.Stop() {
			go b.send(group)
		}
	}
	return group, result
}

// close ends the window of a group and sends it.
func (b *batcher) close(group *joined) {
	b.mutex.Lock()
	if b.open == group {
		b.open = nil
	}
	b.mutex.Unlock()
	b.send(group)
}

func (b *batcher) send(group *joined) {
	defer group.cancel()
	group.leave()
	if len(group.questions) == 1 {
		group.results[0] <- Outcome{Err: askAlone}
		return
	}
	outcomes, err := b.ask(group)
	for i, result := range group.results {
		if err != nil {
			result <- Outcome{Err: err}
		} else {
			result <- outcomes[i]
		}
	}
}

func (b *batcher) ask(group *joined) ([]Outcome, error) {
	body, err := encode(batchBody[json.RawMessage]{Evaluations: group.questions, Options: &questionOptions{Reasons: true}})
	if err != nil {
		return nil, err
	}
	ctx, span := b.client.span(group.ctx, "authz.decide_all")
	span.SetAttribute("authz.questions", len(group.questions))
	o := &callOptions{total: time.Until(group.deadline)}
	outcomes, err := b.client.evaluations(ctx, body, len(group.questions), ExecuteAll, o, span)
	ended(span, err)
	if err == nil {
		return outcomes, nil
	}
	switch asError(err).Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		b.alone.Store(true)
		return nil, askAlone
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		// One question, or all together, are too much for the decision point: the others are not to suffer from it.
		return nil, askAlone
	}
	return nil, err
}

func (g *joined) leave() {
	if g.callers.Add(-1) == 0 {
		g.cancel()
	}
}
