// Package authztest stands in for a decision point in tests of applications.
//
//	fake := authztest.New(t)
//	fake.Allow("alice", "read", "invoice", "INV-1")
//	handler := newHandler(fake.Client()) // the application's handler, which asks an *authz.Client
package authztest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	authz "github.com/authz-service/service/sdk/go"
)

// Any fits every value in a row of the table.
const Any = "*"

// Fake is a decision point in this process, on a port of its own. It answers by the last row of its table that fits,
// and denies if none does. It answers single decisions, batches and searches; a search finds only what the rows name.
type Fake struct {
	// URL is its base address.
	URL string

	server *httptest.Server
	client *authz.Client

	mutex sync.Mutex
	rows  []row
	asked []authz.Question
	down  bool
}

type row struct {
	subject, action, resourceType, resource string
	answer                                  answer
}

type answer struct {
	allowed bool
	reason  string
	failed  authz.Code
}

// New starts a fake, which ends with the test.
func New(t testing.TB) *Fake {
	t.Helper()
	fake := &Fake{}
	mux := http.NewServeMux()
	mux.HandleFunc("/access/v1/evaluation", fake.one)
	mux.HandleFunc("/access/v1/evaluations", fake.several)
	mux.HandleFunc("/access/v1/search/subject", fake.search("subject"))
	mux.HandleFunc("/access/v1/search/resource", fake.search("resource"))
	mux.HandleFunc("/access/v1/search/action", fake.search("action"))
	mux.HandleFunc("/.well-known/authzen-configuration", fake.metadata)
	fake.server = httptest.NewServer(mux)
	fake.URL = fake.server.URL
	client, err := authz.New(fake.URL, authz.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	fake.client = client
	t.Cleanup(func() {
		client.Close()
		fake.server.Close()
	})
	return fake
}

// Client is a client of the fake, which does not retry.
func (f *Fake) Client() *authz.Client { return f.client }

// Allow has the fake allow this. A resource is named by its id, or else by its name.
func (f *Fake) Allow(subject, action, resourceType, resource string) {
	f.add(subject, action, resourceType, resource, answer{true, "The table allows it.", ""})
}

// Deny has the fake deny this.
func (f *Fake) Deny(subject, action, resourceType, resource string) {
	f.add(subject, action, resourceType, resource, answer{false, "The table denies it.", ""})
}

// Fail has the fake say that this could not be decided.
func (f *Fake) Fail(subject, action, resourceType, resource string) {
	f.add(subject, action, resourceType, resource, answer{failed: authz.CodeEvaluationFailed})
}

// Down has the fake cut every connection, as if it were not there, until it is up again.
func (f *Fake) Down(down bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.down = down
}

// Asked returns the questions so far, including those of batches, in order.
func (f *Fake) Asked() []authz.Question {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return append([]authz.Question(nil), f.asked...)
}

func (f *Fake) add(subject, action, resourceType, resource string, given answer) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.rows = append(f.rows, row{subject, action, resourceType, resource, given})
}

// answer looks a question up, and records it.
func (f *Fake) answer(question authz.Question) answer {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.asked = append(f.asked, question)
	return f.lookUp(question)
}

func (f *Fake) lookUp(question authz.Question) answer {
	for i := len(f.rows) - 1; i >= 0; i-- {
		if f.rows[i].fits(question) {
			return f.rows[i].answer
		}
	}
	return answer{false, "No row of the table fits.", ""}
}

func (r row) fits(question authz.Question) bool {
	same := func(want, got string) bool { return want == Any || want == got }
	resource := question.Resource.Name
	if resource == "" {
		resource = question.Resource.ID
	}
	return same(r.subject, question.Subject.ID) && same(r.action, question.Action.Name) &&
		same(r.resourceType, question.Resource.Type) && same(r.resource, resource)
}

func (f *Fake) one(w http.ResponseWriter, r *http.Request) {
	var question authz.Question
	if !f.read(w, r, &question) {
		return
	}
	given := f.answer(question)
	if given.failed != "" {
		problem(w, http.StatusInternalServerError, given.failed)
		return
	}
	reply(w, http.StatusOK, "application/json", evaluation(given))
}

func (f *Fake) several(w http.ResponseWriter, r *http.Request) {
	var batch struct {
		authz.Question
		Evaluations []json.RawMessage `json:"evaluations"`
		Options     struct {
			Semantic authz.Semantic `json:"evaluations_semantic"`
		} `json:"options"`
	}
	if !f.read(w, r, &batch) {
		return
	}
	answers := []any{}
	for _, item := range batch.Evaluations {
		question := batch.Question
		if err := merge(&question, item); err != nil {
			problem(w, http.StatusBadRequest, authz.CodeInvalidRequest)
			return
		}
		given := f.answer(question)
		answers = append(answers, evaluation(given))
		allowed := given.allowed && given.failed == ""
		if batch.Options.Semantic == authz.DenyOnFirstDeny && !allowed ||
			batch.Options.Semantic == authz.PermitOnFirstPermit && allowed {
			break
		}
	}
	reply(w, http.StatusOK, "application/json", map[string]any{"evaluations": answers})
}

// merge replaces the batch's members by those that the item has, each as a whole.
func merge(question *authz.Question, item json.RawMessage) error {
	var own struct {
		Subject  *authz.Subject  `json:"subject"`
		Action   *authz.Action   `json:"action"`
		Resource *authz.Resource `json:"resource"`
		Context  map[string]any  `json:"context"`
	}
	if err := json.Unmarshal(item, &own); err != nil {
		return err
	}
	if own.Subject != nil {
		question.Subject = *own.Subject
	}
	if own.Action != nil {
		question.Action = *own.Action
	}
	if own.Resource != nil {
		question.Resource = *own.Resource
	}
	if own.Context != nil {
		question.Context = own.Context
	}
	return nil
}

func (f *Fake) metadata(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, "application/json", authz.Metadata{
		PolicyDecisionPoint: f.URL,
		Evaluation:          f.URL + "/access/v1/evaluation",
		Evaluations:         f.URL + "/access/v1/evaluations",
		SearchSubject:       f.URL + "/access/v1/search/subject",
		SearchResource:      f.URL + "/access/v1/search/resource",
		SearchAction:        f.URL + "/access/v1/search/action",
	})
}

// read returns false if it has already answered the request.
func (f *Fake) read(w http.ResponseWriter, r *http.Request, value any) bool {
	f.mutex.Lock()
	down := f.down
	f.mutex.Unlock()
	if down {
		panic(http.ErrAbortHandler)
	}
	if err := json.NewDecoder(r.Body).Decode(value); err != nil {
		problem(w, http.StatusBadRequest, authz.CodeInvalidRequest)
		return false
	}
	return true
}

func evaluation(given answer) any {
	if given.failed != "" {
		failed := map[string]any{"status": http.StatusInternalServerError, "code": given.failed, "message": "The table says that it fails."}
		return map[string]any{"decision": false, "context": map[string]any{"error": failed}}
	}
	path := "none"
	if given.allowed {
		path = "direct"
	}
	return map[string]any{"decision": given.allowed, "context": map[string]any{"reason": given.reason, "access_path": path}}
}

func problem(w http.ResponseWriter, status int, code authz.Code) {
	reply(w, status, "application/problem+json", map[string]any{"status": status, "code": code, "detail": "The fake was told to fail here, or could not read this."})
}

func reply(w http.ResponseWriter, status int, kind string, value any) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
