package authz

import (
	"context"
	"fmt"
	"net/http"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

// spans records what a tracer is told, a line for each span that has ended.
type spans struct {
	mutex sync.Mutex
	lines []string
}

type recorded struct {
	to   *spans
	told []string
}

func (s *spans) Start(ctx context.Context, name string) (context.Context, Span) {
	return ctx, &recorded{s, []string{name}}
}

func (r *recorded) SetAttribute(name string, value any) {
	r.told = append(r.told, fmt.Sprintf("%s=%v", name, value))
}
func (r *recorded) SetError(code Code) { r.told = append(r.told, "error="+string(code)) }
func (r *recorded) End() {
	r.to.mutex.Lock()
	defer r.to.mutex.Unlock()
	r.to.lines = append(r.to.lines, strings.Join(r.told, " "))
}

func TestSpansTellTheDecisionTheAttemptsAndTheErrorButNoNames(t *testing.T) {
	ctx := context.Background()
	decide := func(client *Client) { _, _ = client.Decide(ctx, mayAliceRead) }
	for _, row := range []struct {
		name    string
		answers []string
		call    func(*Client)
		want    []string
		options []Option
	}{
		{"an allow", []string{`{"decision":true}`}, decide,
			[]string{"authz.decide authz.attempts=1 authz.decision=true authz.revision=7.x"}, nil},
		{"a denial after another attempt", []string{"503", `{"decision":false}`}, decide,
			[]string{"authz.decide authz.attempts=2 authz.decision=false authz.revision=7.x"}, nil},
		{"nobody decided", []string{"500"}, decide, []string{"authz.decide authz.attempts=1 error=internal"}, nil},
		{"a denial of what is unknown", []string{"500"}, func(client *Client) { _, _ = client.Decide(ctx, mayAliceRead, OrDeny()) },
			[]string{"authz.decide authz.attempts=1 error=internal"}, nil},
		{"a batch", []string{`{"evaluations":[{"decision":true}]}`},
			func(client *Client) {
				_, _ = client.DecideAll(ctx, Batch{Evaluations: []Evaluation{{Subject: &mayAliceRead.Subject}}})
			},
			[]string{"authz.decide_all authz.questions=1 authz.attempts=1 authz.revision=7.x"}, nil},
		{"joined decisions", []string{`{"evaluations":[{"decision":true},{"decision":true}]}`},
			func(client *Client) { together(client, []string{"1", "2"}) },
			[]string{"authz.decide authz.decision=true authz.revision=7.x", "authz.decide authz.decision=true authz.revision=7.x", "authz.decide_all authz.questions=2 authz.attempts=1 authz.revision=7.x"},
			[]Option{WithBatching(200 * time.Millisecond)}},
		{"a search", []string{`{"results":[]}`},
			func(client *Client) {
				_, _ = client.SearchActions(ctx, ActionSearch{Subject: mayAliceRead.Subject}).All()
			},
			[]string{"authz.search_action authz.attempts=1 authz.revision=7.x"}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			told, next := &spans{}, 0
			client := served(t, func(w http.ResponseWriter, _ *http.Request) {
				text := row.answers[next]
				next++
				if len(text) == 3 {
					answerJSON(w, map[string]int{"500": 500, "503": 503}[text], `{"detail":"alice may not read INV-1"}`)
					return
				}
				w.Header().Set("Service-Revision", "7.x")
				answerJSON(w, 200, text)
			}, append(row.options, WithTracer(told))...)
			row.call(client)
			sort.Strings(told.lines)
			if got := strings.Join(told.lines, "\n"); got != strings.Join(row.want, "\n") {
				t.Errorf("the spans are\n%s\nwant\n%s", got, strings.Join(row.want, "\n"))
			}
		})
	}
}
