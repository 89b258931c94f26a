package authz

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
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
