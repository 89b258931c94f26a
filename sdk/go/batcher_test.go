package authz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func questionOf(id string) Question {
	question := mayAliceRead
	question.Resource.ID = id
	return question
}

// batching answers batches by the id of the resource: "yes…" is allowed, "fail…" fails.
func batching(t *testing.T, sizes *[]int, mutex *sync.Mutex) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Evaluations []Question `json:"evaluations"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		mutex.Lock()
		*sizes = append(*sizes, len(body.Evaluations))
		mutex.Unlock()
		answers := []any{}
		for _, question := range body.Evaluations {
			context := map[string]any{"reason": question.Resource.ID}
			if question.Resource.ID[0] == 'f' {
				context["error"] = map[string]any{"status": 500, "code": "evaluation_failed", "message": "no"}
			}
			answers = append(answers, map[string]any{"decision": question.Resource.ID[0] == 'y', "context": context})
		}
		text, _ := json.Marshal(map[string]any{"evaluations": answers})
		answerJSON(w, 200, string(text))
	}
}

// together asks all questions at once, and gives the outcomes in their order.
func together(client *Client, ids []string) []Outcome {
	outcomes := make([]Outcome, len(ids))
	var calls sync.WaitGroup
	for i, id := range ids {
		calls.Add(1)
		go func(i int, id string) {
			defer calls.Done()
			outcomes[i].Decision, outcomes[i].Err = client.Decide(context.Background(), questionOf(id))
		}(i, id)
	}
	calls.Wait()
	return outcomes
}

func TestJoinedDecisionsKeepTheirOwnOutcomes(t *testing.T) {
	var sizes []int
	var mutex sync.Mutex
	client := served(t, batching(t, &sizes, &mutex), WithBatching(200*time.Millisecond))
	outcomes := together(client, []string{"yes-1", "no-2", "fail-3", "yes-4"})
	for i, want := range []bool{true, false, false, true} {
		outcome := outcomes[i]
		if i == 2 {
			if !errors.Is(outcome.Err, ErrEvaluationFailed) {
				t.Errorf("outcome 2 is %+v, want evaluation_failed", outcome)
			}
			continue
		}
		if reason := []string{"yes-1", "no-2", "", "yes-4"}[i]; outcome.Err != nil || outcome.Decision.Allowed != want || outcome.Decision.Reason != reason {
			t.Errorf("outcome %d is %+v, want %t for %q", i, outcome, want, reason)
		}
	}
	if fmt.Sprint(sizes) != "[4]" {
		t.Errorf("the requests held %v questions, want one of 4", sizes)
	}
}

func TestAJoinedQuestionWithoutAnAnswerCouldNotBeDecided(t *testing.T) {
	client := served(t, func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, 200, `{"evaluations":[null,{"decision":true},{"Decision":true},{"decision":"true"},7]}`)
	}, WithBatching(200*time.Millisecond))
	allowed, failed := 0, 0
	for _, outcome := range together(client, []string{"1", "2", "3", "4", "5", "6"}) {
		switch {
		case outcome.Decision.Allowed:
			allowed++
		case errors.Is(outcome.Err, ErrNetwork):
			failed++
		}
	}
	if allowed != 1 || failed != 5 {
		t.Errorf("%d were allowed and %d could not be decided, want 1 and 5", allowed, failed)
	}
}

func TestAFullBatchIsSentAtOnceAndTheRestAfterIt(t *testing.T) {
	var sizes []int
	var mutex sync.Mutex
	client := served(t, batching(t, &sizes, &mutex), WithBatching(500*time.Millisecond), WithDecisionTimeouts(time.Minute, time.Minute))
	ids := make([]string, batchMax+2)
	for i := range ids {
		ids[i] = fmt.Sprintf("yes-%d", i)
	}
	for i, outcome := range together(client, ids) {
		if outcome.Err != nil || outcome.Decision.Reason != ids[i] {
			t.Fatalf("outcome %d is %+v", i, outcome)
		}
	}
	if fmt.Sprint(sizes) != fmt.Sprint([]int{batchMax, 2}) && fmt.Sprint(sizes) != fmt.Sprint([]int{2, batchMax}) {
		t.Errorf("the requests held %v questions", sizes)
	}
}

func TestWithoutBatchesEachIsAskedAlone(t *testing.T) {
	for _, status := range []int{404, 405, 501} {
		var batches, alone atomic.Int64
		client := served(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == evaluationsPath {
				batches.Add(1)
				w.WriteHeader(status)
				return
			}
			alone.Add(1)
			answerJSON(w, 200, `{"decision":true}`)
		}, WithBatching(100*time.Millisecond))
		for round := 0; round < 2; round++ {
			for i, outcome := range together(client, []string{"1", "2", "3"}) {
				if outcome.Err != nil || !outcome.Decision.Allowed {
					t.Errorf("%d: outcome %d is %+v", status, i, outcome)
				}
			}
		}
		if batches.Load() != 1 || alone.Load() != 6 {
			t.Errorf("%d: %d batches and %d single requests, want 1 and 6", status, batches.Load(), alone.Load())
		}
	}
}

func TestABatchThatIsRefusedForOneIsAskedOneByOne(t *testing.T) {
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		var question Question
		_ = json.NewDecoder(r.Body).Decode(&question)
		if r.URL.Path == evaluationsPath || question.Resource.ID == "bad" {
			answerJSON(w, 400, `{"code":"invalid_request","detail":"no"}`)
			return
		}
		answerJSON(w, 200, `{"decision":true}`)
	}, WithBatching(100*time.Millisecond))
	outcomes := together(client, []string{"good", "bad"})
	if outcomes[0].Err != nil || !outcomes[0].Decision.Allowed || !errors.Is(outcomes[1].Err, ErrInvalidRequest) {
		t.Errorf("got %+v", outcomes)
	}
}

func TestAJoinedCallerKeepsItsOwnDeadline(t *testing.T) {
	asked := make(chan struct{})
	given := make(chan struct{})
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-given
		answerJSON(w, 200, `{"evaluations":[{"decision":true},{"decision":true}]}`)
	}, WithBatching(100*time.Millisecond), WithDecisionTimeouts(time.Minute, time.Minute))
	patient := make(chan Outcome)
	go func() {
		decision, err := client.Decide(context.Background(), questionOf("1"))
		patient <- Outcome{decision, err}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	hasty := make(chan Outcome)
	go func() {
		decision, err := client.Decide(ctx, questionOf("2"))
		hasty <- Outcome{decision, err}
	}()
	<-asked
	cancel()
	if outcome := <-hasty; !errors.Is(outcome.Err, context.Canceled) || outcome.Decision.Allowed {
		t.Errorf("the hasty one got %+v", outcome)
	}
	close(given)
	if outcome := <-patient; outcome.Err != nil || !outcome.Decision.Allowed {
		t.Errorf("the patient one got %+v", outcome)
	}
}

func TestAQuestionThatIsNoJSONSpoilsNoOther(t *testing.T) {
	client := served(t, func(w http.ResponseWriter, r *http.Request) { answerJSON(w, 200, `{"decision":true}`) },
		WithBatching(50*time.Millisecond))
	broken := questionOf("1")
	broken.Context = map[string]any{"channel": make(chan int)}
	if _, err := client.Decide(context.Background(), broken); !errors.Is(err, ErrInvalidRequest) {
		t.Errorf("got %v, want invalid_request", err)
	}
	if decision, err := client.Decide(context.Background(), questionOf("2")); err != nil || !decision.Allowed {
		t.Errorf("got %+v and %v", decision, err)
	}
}

func TestMoreQuestionsThanARequestMayHoldGoInSeveral(t *testing.T) {
	var asked []int
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Evaluations []Evaluation }
		_ = json.NewDecoder(r.Body).Decode(&body)
		asked = append(asked, len(body.Evaluations))
		var items []string
		for _, one := range body.Evaluations {
			denied := one.Resource.ID == "1100"
			items = append(items, fmt.Sprintf(`{"decision":%t}`, !denied))
			if denied && r.Header.Get("X-Request-Id") == "short" {
				break
			}
		}
		answerJSON(w, 200, `{"evaluations":[`+strings.Join(items, ",")+`]}`)
	})
	batch := Batch{Subject: &mayAliceRead.Subject, Action: &mayAliceRead.Action}
	for i := 0; i < 2001; i++ {
		batch.Evaluations = append(batch.Evaluations, Evaluation{Resource: &Resource{Type: "invoice", ID: fmt.Sprint(i)}})
	}
	outcomes, err := client.DecideAll(context.Background(), batch, Timeout(30*time.Second), AttemptTimeout(30*time.Second))
	if err != nil || len(outcomes) != 2001 || outcomes[1100].Decision.Allowed || !outcomes[2000].Decision.Allowed {
		t.Fatalf("got %d outcomes and %v", len(outcomes), err)
	}
	batch.Semantic = DenyOnFirstDeny
	outcomes, err = client.DecideAll(context.Background(), batch, Timeout(30*time.Second), AttemptTimeout(30*time.Second), RequestID("short"))
	if err != nil || len(outcomes) != 2001 || !errors.Is(outcomes[2000].Err, ErrNotEvaluated) {
		t.Fatalf("got %d outcomes and %v", len(outcomes), err)
	}
	if fmt.Sprint(asked) != "[1000 1000 1 1000 1000]" {
		t.Errorf("asked in %v", asked)
	}
}

func TestABurstWaitsInLineForLongerThanAnAttemptMayTake(t *testing.T) {
	var running, most atomic.Int64
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		now := running.Add(1)
		for known := most.Load(); now > known && !most.CompareAndSwap(known, now); known = most.Load() {
		}
		time.Sleep(20 * time.Millisecond)
		running.Add(-1)
		answerJSON(w, 200, `{"decision":true}`)
	}, WithRetries(0), WithDecisionTimeouts(time.Minute, 10*time.Second))
	var calls sync.WaitGroup
	for i := 0; i < 500; i++ {
		calls.Add(1)
		go func() {
			defer calls.Done()
			if decision, err := client.Decide(context.Background(), mayAliceRead); err != nil || !decision.Allowed {
				t.Errorf("got %v, %v", decision.Allowed, err)
			}
		}()
	}
	calls.Wait()
	if most.Load() > atOnce {
		t.Errorf("%d requests ran at once", most.Load())
	}
}

func TestABatchSizeIsFoundAndTriedAgain(t *testing.T) {
	size := newBatchSize(1000)
	serve := func(most int) {
		for i := 0; i < 20; i++ {
			if limit := size.limit(); limit <= most {
				size.took(limit)
			} else {
				size.refuse(limit)
			}
		}
	}
	serve(100)
	if got := size.limit(); got != 100 {
		t.Errorf("the size is %d, want 100", got)
	}
	for i := 0; i < 10; i++ {
		size.refusedAt = time.Time{}
		serve(2000)
	}
	if got := size.limit(); got != 1000 {
		t.Errorf("the size is %d, want 1000", got)
	}
}

func TestAQuestionOfALongBatchIsNamedByItsPlaceAmongAllOfThem(t *testing.T) {
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Evaluations []json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		answers := strings.Repeat(`,{"decision":true}`, len(asked.Evaluations))
		answerJSON(w, http.StatusOK, `{"evaluations":[`+answers[1:]+`]}`)
	})
	batch := Batch{Evaluations: make([]Evaluation, batchMax+2)}
	batch.Subject, batch.Action, batch.Resource = &mayAliceRead.Subject, &mayAliceRead.Action, &mayAliceRead.Resource
	batch.Evaluations[batchMax+1].Context = map[string]any{"n": math.NaN()}
	_, err := client.DecideAll(context.Background(), batch)
	failed := asError(err)
	want := "/evaluations/1001/context/n"
	if len(failed.Fields) != 1 || failed.Fields[0].Pointer != want || !strings.Contains(failed.Detail, want) {
		t.Errorf("got %v with %v, want %s", err, failed.Fields, want)
	}
}
