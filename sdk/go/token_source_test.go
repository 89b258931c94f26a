package authz

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestATokenIsRenewedBeforeItExpires(t *testing.T) {
	var issued atomic.Int64
	renewed := make(chan struct{}, 8)
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/oauth/token" {
			answerJSON(w, 200, fmt.Sprintf(`{"access_token":"t%d","token_type":"Bearer","expires_in":100}`, issued.Add(1)))
			renewed <- struct{}{}
			return
		}
		answerJSON(w, 200, fmt.Sprintf(`{"decision":true,"context":{"reason":%q}}`, r.Header.Get("Authorization")))
	}, WithClientCredentials("a", "b"))
	source := client.authorization.(*tokenSource)
	var seconds atomic.Int64
	start := time.Now()
	source.now = func() time.Time { return start.Add(time.Duration(seconds.Load()) * time.Second) }
	used := func() string {
		decision, err := client.Decide(context.Background(), mayAliceRead)
		if err != nil {
			t.Fatal(err)
		}
		return decision.Reason
	}
	if got := used(); got != "Bearer t1" {
		t.Errorf("the first call used %q", got)
	}
	<-renewed
	seconds.Store(95)
	if got := used(); got != "Bearer t1" {
		t.Errorf("a call in the time of early renewal waited for %q", got)
	}
	<-renewed
	source.mutex.Lock()
	running := source.refresh
	source.mutex.Unlock()
	if running != nil {
		<-running.done
	}
	if got := used(); got != "Bearer t2" {
		t.Errorf("a call after the renewal used %q", got)
	}
}

func TestWhoGivesUpLeavesTheTokenRequestToOthers(t *testing.T) {
	asked, given := make(chan struct{}), make(chan struct{})
	var once sync.Once
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/oauth/token" {
			once.Do(func() { close(asked) })
			<-given
			answerJSON(w, 200, `{"access_token":"t","expires_in":100}`)
			return
		}
		answerJSON(w, 200, `{"decision":true}`)
	}, WithClientCredentials("a", "b"), WithDecisionTimeouts(time.Minute, time.Minute))
	ctx, cancel := context.WithCancel(context.Background())
	first, second := make(chan error), make(chan error)
	go func() {
		_, err := client.Decide(ctx, mayAliceRead)
		first <- err
	}()
	<-asked
	go func() {
		_, err := client.Decide(context.Background(), mayAliceRead)
		second <- err
	}()
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first got %v", err)
	}
	close(given)
	if err := <-second; err != nil {
		t.Errorf("the second got %v", err)
	}
}
