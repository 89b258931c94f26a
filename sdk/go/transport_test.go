package authz

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var mayAliceRead = Question{
	Subject:  Subject{Type: "user", ID: "alice"},
	Action:   Action{Name: "read"},
	Resource: Resource{Type: "invoice", ID: "INV-1"},
}

// served starts a server and a client of it.
func served(t *testing.T, handler http.HandlerFunc, options ...Option) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := New(server.URL, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func answerJSON(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, text)
}

func TestWhatIsNoBase(t *testing.T) {
	for _, row := range []struct{ base, says string }{
		{"", "is no URL"},
		{"localhost:8080", "is no URL"},
		{"ftp://host", "no http or https"},
		{"http://user:secret@host", "leave them out"},
		{"http://us er:secret@host", "is no URL"},
		{"http://host?x=1", "query or a fragment"},
		{"http://host#x", "query or a fragment"},
	} {
		_, err := New(row.base)
		if !errors.Is(err, ErrInvalidConfig) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%q: got %v, want invalid_config saying %q", row.base, err, row.says)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error quotes the password: %v", row.base, err)
		}
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for name, option := range map[string]Option{
		"negative retries":    WithRetries(-1),
		"no timeout":          WithDecisionTimeouts(0, time.Second),
		"no window":           WithBatching(0),
		"no HTTP client":      WithHTTPClient(nil),
		"an empty key":        WithAPIKey(""),
		"a key with a line":   WithAPIKey("a\nb"),
		"a secret left out":   WithClientCredentials("id", ""),
		"a user agent's line": WithUserAgent("a\r\nx: y"),
	} {
		if _, err := New("http://localhost", option); !errors.Is(err, ErrInvalidConfig) {
			t.Errorf("%s: got %v, want invalid_config", name, err)
		}
	}
	if _, err := New("http://localhost", WithAPIKey("a"), WithClientCredentials("b", "c")); !errors.Is(err, ErrInvalidConfig) {
		t.Errorf("two credentials: got %v, want invalid_config", err)
	}
}

func TestOnlyADecisionByItsExactNameCounts(t *testing.T) {
	for _, text := range []string{`{"Decision":true}`, `{"DECISION":true}`, `{"decision":null,"Decision":true}`, `[]`, `true`, `null`} {
		client := served(t, func(w http.ResponseWriter, _ *http.Request) { answerJSON(w, 200, text) }, WithRetries(0))
		if decision, err := client.Decide(context.Background(), mayAliceRead); !errors.Is(err, ErrNetwork) || decision.Allowed {
			t.Errorf("%s: got %+v and %v, want network", text, decision, err)
		}
	}
	client := served(t, func(w http.ResponseWriter, _ *http.Request) { answerJSON(w, 200, `{"decision":false,"Decision":true}`) })
	if decision, err := client.Decide(context.Background(), mayAliceRead); err != nil || decision.Allowed {
		t.Errorf("got %+v and %v, want a denial", decision, err)
	}
}

func TestAnErrorBesideAPermissionIsNone(t *testing.T) {
	client := served(t, func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, 200, `{"decision":true,"context":{"error":{"status":500,"message":"half of it failed"}}}`)
	})
	if decision, err := client.Decide(context.Background(), mayAliceRead); !errors.Is(err, &Error{Code: CodeInternal}) || decision.Allowed {
		t.Errorf("got %+v and %v, want internal", decision, err)
	}
}

func TestTheCallersContextHoldsDuringWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var asked atomic.Int64
	client := served(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Retry-After", "1")
		answerJSON(w, 429, `{"code":"too_many_requests","detail":"later"}`)
		cancel()
	})
	_, err := client.Decide(ctx, mayAliceRead)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrCanceled) || asked.Load() != 1 {
		t.Errorf("got %v after %d requests, want canceled after one", err, asked.Load())
	}
}

func TestTheCallersDeadlineIsATimeout(t *testing.T) {
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	client := served(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })
	if _, err := client.Decide(ctx, mayAliceRead); !errors.Is(err, ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want timeout", err)
	}
}

func TestAnAnswerIsHeldBackForLessThanAnAttempt(t *testing.T) {
	for _, row := range []struct {
		wait    time.Duration
		options []Option
		call    []CallOption
		sent    string
	}{
		{50 * time.Second, nil, nil, "20"},
		{1500 * time.Millisecond, nil, nil, "2"},
		{50 * time.Second, []Option{WithManagementTimeouts(time.Minute, 3*time.Second)}, nil, "2"},
		{50 * time.Second, []Option{WithManagementTimeouts(9*time.Second, time.Minute)}, nil, "6"},
		{50 * time.Second, nil, []CallOption{AttemptTimeout(6 * time.Second)}, "4"},
		{50 * time.Second, nil, []CallOption{Timeout(time.Second)}, "0"},
	} {
		sent := ""
		client := served(t, func(w http.ResponseWriter, r *http.Request) {
			sent = r.URL.Query().Get("wait")
			answerJSON(w, 200, `{"revision":"1.x","agents":[]}`)
		}, row.options...)
		if _, err := client.Agents(context.Background(), AgentQuery{Wait: row.wait}, row.call...); err != nil || sent != row.sent {
			t.Errorf("%v is sent as %q, want %q (%v)", row, sent, row.sent, err)
		}
	}
}

func TestWritesThatMayHaveHappenedAreNotRepeated(t *testing.T) {
	for _, row := range []struct {
		name   string
		reply  http.HandlerFunc
		asked  int64
		doubts bool
	}{
		{"a gateway that gave up", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, 1, true},
		{"a proxy's 503", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, 1, true},
		{"a connection that broke", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 1, true},
		{"the service's own 503", func(w http.ResponseWriter, _ *http.Request) {
			answerJSON(w, 503, `{"code":"not_ready","detail":"soon"}`)
		}, 2, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			var asked atomic.Int64
			client := served(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				row.reply(w, r)
			}, WithRetries(1))
			_, err := client.Roles().Create(context.Background(), NewRole{Name: "clerk"})
			if err == nil || asked.Load() != row.asked {
				t.Errorf("got %v after %d requests, want an error after %d", err, asked.Load(), row.asked)
			}
			if doubts := strings.Contains(err.Error(), "not known whether"); doubts != row.doubts {
				t.Errorf("the error %q says that it is not known: %t, want %t", err, doubts, row.doubts)
			}
		})
	}
}

func TestAChangesetIsRepeatedUnderOneKey(t *testing.T) {
	var keys []string
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if len(keys) == 1 {
			w.WriteHeader(502)
			return
		}
		answerJSON(w, 200, `{"revision":"2.x","added":1}`)
	})
	result, err := client.Apply(context.Background(), Changeset{Changes: []Change{DeleteRecord("role/clerk")}})
	if err != nil || result.Revision != "2.x" || len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Errorf("got %+v and %v under the keys %q", result, err, keys)
	}
}

func TestCredentialsFollowNoRedirectOfTheCallersClient(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was followed") }))
	defer elsewhere.Close()
	given := &http.Client{Transport: &http.Transport{}}
	defer given.CloseIdleConnections()
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/?token="+r.Header.Get("Authorization"), http.StatusTemporaryRedirect)
	}, WithAPIKey("svc_test"), WithHTTPClient(given))
	_, err := client.Decide(context.Background(), mayAliceRead)
	if !errors.Is(err, ErrNetwork) || !strings.Contains(err.Error(), elsewhere.URL) || strings.Contains(err.Error(), "svc_test") {
		t.Errorf("got %v", err)
	}
	if given.CheckRedirect != nil {
		t.Error("the caller's own client was changed")
	}
}

func TestAnswersThatRepeatACredentialAreRedacted(t *testing.T) {
	client := served(t, func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Authorization")
		answerJSON(w, 403, fmt.Sprintf(`{"code":"forbidden","detail":%q,"errors":[{"pointer":"","detail":%q}]}`, key, key))
	}, WithAPIKey("svc_test"))
	_, err := client.Decide(context.Background(), mayAliceRead)
	if text := fmt.Sprintf("%v %+v", err, *asError(err)); strings.Contains(text, "svc_test") || !strings.Contains(text, "[redacted]") {
		t.Errorf("got %s", text)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	client := served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := []byte(strings.Repeat(" ", 1<<20))
		for i := 0; i < 32; i++ {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}, WithDecisionTimeouts(time.Minute, time.Minute))
	if _, err := client.Decide(context.Background(), mayAliceRead); !errors.Is(err, ErrNetwork) || !strings.Contains(err.Error(), "not read further") {
		t.Errorf("got %v", err)
	}
}

func TestAnUnknownHostIsANetworkError(t *testing.T) {
	client, err := New("http://host.invalid", WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var unknown *net.DNSError
	if _, err := client.Decide(context.Background(), mayAliceRead); !errors.Is(err, ErrNetwork) || !errors.As(err, &unknown) {
		t.Errorf("got %v, want network for an unknown host", err)
	}
}

func TestANameThatIsNeverResolvedHoldsNoCallLongerThanItsDeadline(t *testing.T) {
	silent := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	transport := &http.Transport{DialContext: (&net.Dialer{Resolver: silent}).DialContext}
	client, err := New("http://host.invalid", WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	started := time.Now()
	decision, err := client.Decide(context.Background(), mayAliceRead, Timeout(200*time.Millisecond))
	if took := time.Since(started); !errors.Is(err, ErrTimeout) || decision.Allowed || took > time.Second {
		t.Errorf("got %+v and %v after %s, want timeout after 200 ms", decision, err, took)
	}
}

func TestErrorsNameNoRecord(t *testing.T) {
	client := served(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, WithRetries(0))
	_, err := client.Subjects().Get(context.Background(), "user/zoë@example.org")
	if !errors.Is(err, ErrNetwork) || strings.Contains(err.Error(), "zo") || !strings.Contains(err.Error(), "/v1/subjects/{id}") {
		t.Errorf("got %v", err)
	}
}

func TestAConnectionIsUsedAgain(t *testing.T) {
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, 200, `{"decision":true}`)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client, err := New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i := 0; i < 10; i++ {
		if decision, err := client.Decide(context.Background(), mayAliceRead); err != nil || !decision.Allowed {
			t.Fatalf("got %+v and %v", decision, err)
		}
	}
	if opened.Load() != 1 {
		t.Errorf("%d connections were opened, want one", opened.Load())
	}
}

// TestBytesAfterAnAnswerAnswerNoOtherQuestion is no vector, since net/http may send the next request before it finds them.
func TestBytesAfterAnAnswerAnswerNoOtherQuestion(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				reader := bufio.NewReader(conn)
				for {
					request, err := http.ReadRequest(reader)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, request.Body)
					head := "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 18\r\n\r\n"
					fmt.Fprint(conn, head+`{"decision":false}`+head+`{"decision":true} `)
				}
			}()
		}
	}()
	client, err := New("http://" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i := 0; i < 200; i++ {
		if decision, _ := client.Decide(context.Background(), mayAliceRead); decision.Allowed {
			t.Fatal("the answer to no question has let somebody in")
		}
	}
}

func TestNothingThatPrintsAClientPrintsItsCredential(t *testing.T) {
	for _, option := range []Option{WithAPIKey("svc_secret"), WithClientCredentials("app", "svc_secret")} {
		client, err := New("http://127.0.0.1:1", option)
		if err != nil {
			t.Fatal(err)
		}
		holder := struct{ client any }{client}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			for _, printed := range []any{client, holder, client.authorization} {
				if text := fmt.Sprintf(verb, printed); strings.Contains(text, "svc_secret") {
					t.Errorf("%s prints the credential: %s", verb, text)
				}
			}
		}
	}
}
