package authz

import (
	"bytes"
	"context"
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

// joined is a request that collects questions. Until it is sent, the batcher's mutex guards questions, deadline and
// timer.
type joined struct {
	questions [][]byte
	// deadline is that of the most patient caller.
	deadline time.Time
	timer    *time.Timer
	// callers counts those who still wait; the last to give up cancels the request.
	callers atomic.Int64
	ctx     context.Context
	cancel  context.CancelFunc
	// done is closed when items, came and err are set. Each caller decodes its own item, so that nobody has to decode
	// them all.
	done  chan struct{}
	items []evaluation
	came  *answer
	err   error
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
	group, index := b.join(encoded, deadline)
	defer group.leave()
	select {
	case <-group.done:
		switch {
		case group.err == askAlone:
			return b.client.decideAlone(overall, question, o, span)
		case group.err != nil:
			return Outcome{Err: group.err}
		case index >= len(group.items):
			return Outcome{Err: b.client.unanswered()}
		}
		return group.items[index].outcome(group.came)
	case <-overall.Done():
		return Outcome{Err: b.client.ended(ctx, request{method: http.MethodPost, route: evaluationsPath, profile: profile}, nil)}
	}
}

// join adds a question to the open group, or to a new one, and gives the group and the question's place in it.
func (b *batcher) join(question []byte, deadline time.Time) (*joined, int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	group := b.open
	if group == nil {
		group = &joined{done: make(chan struct{})}
		group.ctx, group.cancel = context.WithCancel(b.client.life)
		// Held until it is sent, so that a caller who leaves within the window does not cancel those who come after it.
		group.callers.Add(1)
		group.timer = time.AfterFunc(b.window, func() { b.close(group) })
		b.open = group
	}
	group.questions = append(group.questions, question)
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
	return group, len(group.questions) - 1
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
	defer close(group.done)
	group.leave()
	if len(group.questions) == 1 {
		group.err = askAlone
		return
	}
	ctx, span := b.client.span(group.ctx, "authz.decide_all")
	span.SetAttribute("authz.questions", len(group.questions))
	o := &callOptions{total: time.Until(group.deadline)}
	group.items, group.came, group.err = b.client.items(ctx, group.body(), len(group.questions), o, span)
	ended(span, group.err)
	if group.err == nil {
		return
	}
	switch asError(group.err).Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		b.alone.Store(true)
		group.err = askAlone
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		// The decision point refuses one of the questions, or their number. The other questions must not suffer from it.
		group.err = askAlone
	}
}

// body is the request. Each caller has encoded its own question.
func (g *joined) body() []byte {
	var body bytes.Buffer
	body.WriteString(`{"evaluations":[`)
	body.Write(bytes.Join(g.questions, []byte(",")))
	body.WriteString(`],"options":{"reasons":true}}`)
	return body.Bytes()
}

func (g *joined) leave() {
	if g.callers.Add(-1) == 0 {
		g.cancel()
	}
}
