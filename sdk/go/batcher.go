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
	// max is the most questions that go into one batch.
	max atomic.Int64

	mutex sync.Mutex
	open  *joined
}

func newBatcher(client *Client, window time.Duration) *batcher {
	b := &batcher{client: client, window: window}
	b.max.Store(batchMax)
	return b
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
	// learn is called when each of a refused batch is answered alone, so that no question in it was at fault; answered
	// counts them.
	learn    func()
	answered atomic.Int64
}

// askAlone tells a caller to ask by itself.
var askAlone = &Error{Code: "ask_alone"}

// decide waits for an answer among those of others, until the caller's own deadline.
func (b *batcher) decide(ctx context.Context, question Question, o *callOptions, span Span) Outcome {
	if b.max.Load() < 2 || b.client.withoutBatches() {
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
			outcome := b.client.decideAlone(overall, question, o, span)
			if outcome.Err == nil && group.learn != nil && group.answered.Add(1) == int64(len(group.questions)) {
				group.learn()
			}
			return outcome
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
	if int64(len(group.questions)) >= b.max.Load() {
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
	switch status := asError(group.err).Status; {
	case isWithoutBatches(group.err):
		group.learn = func() { b.client.batchless.Store(true) }
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
		// It is refused for a question in it, its size, or what it asks for. The other questions must not suffer from it.
		group.learn = func() { b.lower(int64(len(group.questions) / 2)) }
	default:
		return
	}
	group.err = askAlone
}

// lower lets batches hold no more questions than this.
func (b *batcher) lower(max int64) {
	for known := b.max.Load(); max < known && !b.max.CompareAndSwap(known, max); known = b.max.Load() {
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
