package authz

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain fails where a test leaves a goroutine of this package behind.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := goroutines(); code == 0 && left != "" {
		os.Stderr.WriteString("goroutines are left:\n" + left)
		code = 1
	}
	os.Exit(code)
}

// goroutines gives the stacks that are in this package's code or in a connection, once those that are about to end have.
func goroutines() string {
	var left []string
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left = nil
		for _, stack := range strings.Split(string(stacks), "\n\n") {
			own := strings.Contains(stack, "authz-service/service/sdk/go.") && !strings.Contains(stack, "TestMain")
			if own || strings.Contains(stack, "net/http.(*persistConn)") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return ""
		}
	}
	return strings.Join(left, "\n\n") + "\n"
}

// unsteady answers well, cuts the connection, breaks off in the middle, or is silent until the caller has gone, in turns.
func unsteady(requests *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch requests.Add(1) % 5 {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"decision":`)
		case 2:
			<-r.Context().Done()
		case 3:
			answerJSON(w, 503, `{}`)
		default:
			answerJSON(w, 200, `{"decision":true,"evaluations":[]}`)
		}
	}
}

func TestALoadOnAnUnsteadyServerLeavesNothingBehind(t *testing.T) {
	for name, options := range map[string][]Option{"alone": nil, "joined": {WithBatching(time.Millisecond)}} {
		t.Run(name, func(t *testing.T) {
			var open, requests atomic.Int64
			server := httptest.NewUnstartedServer(unsteady(&requests))
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				switch state {
				case http.StateNew:
					open.Add(1)
				case http.StateClosed, http.StateHijacked:
					open.Add(-1)
				}
			}
			server.Start()
			defer server.Close()
			client, err := New(server.URL, append(options, WithDecisionTimeouts(200*time.Millisecond, 50*time.Millisecond))...)
			if err != nil {
				t.Fatal(err)
			}
			before := runtime.NumGoroutine()
			for round := 0; round < 5; round++ {
				together(client, hundred())
			}
			client.Close()
			// A connection that the client has closed is seen so by the server a moment later.
			for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
				if open.Load() == 0 && runtime.NumGoroutine() <= before {
					return
				}
			}
			t.Errorf("after %d requests %d connections are open, and of %d goroutines before there are %d:\n%s",
				requests.Load(), open.Load(), before, runtime.NumGoroutine(), goroutines())
		})
	}
}

func hundred() []string {
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = "INV-1"
	}
	return ids
}

func TestCloseEndsWhatAClientHolds(t *testing.T) {
	hung := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/oauth/token" {
			<-hung
			return
		}
		answerJSON(w, 200, `{"decision":true}`)
	}))
	defer server.Close()
	defer close(hung)
	client, err := New(server.URL, WithClientCredentials("a", "b"), WithBatching(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Decide(context.Background(), mayAliceRead, Timeout(50*time.Millisecond)); asError(err).Code != CodeTimeout {
		t.Errorf("got %v, want timeout", err)
	}
	client.Close()
	source := client.authorization.(*tokenSource)
	source.mutex.Lock()
	running := source.refresh
	source.mutex.Unlock()
	if running != nil {
		<-running.done
	}
}
