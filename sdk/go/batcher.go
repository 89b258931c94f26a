package authz

import (
	"bytes"
	"context"
	"math"
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
	// count is how many questions go into one batch, size how many bytes they have together.
	count, size *batchSize

	mutex sync.Mutex
	open  *joined
}

func newBatcher(client *Client, window time.Duration) *batcher {
	return &batcher{client: client, window: window, count: newBatchSize(batchMax), size: newBatchSize(math.Inf(1))}
}

// joined is a request that collects questions. Until it is sent, the batcher's mutex guards questions, deadline and
// timer.
type joined struct {
	questions [][]byte
	size      int
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
	if b.count.limit() < 2 || b.client.withoutBatches() {
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
	if group != nil && group.size+len(question) > b.size.limit() {
		// It is sent when its window is over, and takes no more questions.
		group, b.open = nil, nil
	}
	if group == nil {
		group = &joined{done: make(chan struct{})}
		group.ctx, group.cancel = context.WithCancel(b.client.life)
		// Held until it is sent, so that a caller who leaves within the window does not cancel those who come after it.
		group.callers.Add(1)
		group.timer = time.AfterFunc(b.window, func() { b.close(group) })
		b.open = group
	}
	group.questions = append(group.questions, question)
	group.size += len(question)
	group.callers.Add(1)
	if deadline.After(group.deadline) {
		group.deadline = deadline
	}
	if len(group.questions) >= b.count.limit() {
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
	count, size := len(group.questions), group.size
	if group.err == nil {
		b.count.took(count)
		b.size.took(size)
		return
	}
	switch status := asError(group.err).Status; {
	case isWithoutBatches(group.err):
		group.learn = func() { b.client.batchless.Store(true) }
	// It is refused for its size, for a question in it, or what it asks for. The other questions must not suffer from it.
	case status == http.StatusRequestEntityTooLarge:
		group.learn = func() { b.size.refuse(size) }
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		group.learn = func() { b.count.refuse(count) }
	default:
		return
	}
	group.err = askAlone
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
