package authz

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// vector is one case of test/vectors, whose README has the format.
type vector struct {
	Name   string `json:"name"`
	Client struct {
		APIKey            string            `json:"apiKey"`
		ClientID          string            `json:"clientId"`
		ClientSecret      string            `json:"clientSecret"`
		Retries           *int              `json:"retries"`
		DecisionTimeoutMs int               `json:"decisionTimeoutMs"`
		AttemptTimeoutMs  int               `json:"attemptTimeoutMs"`
		Batching          bool              `json:"batching"`
		ReadsOwnWrites    *bool             `json:"readsOwnWrites"`
		NotBefore         string            `json:"notBefore"`
		URL               string            `json:"url"`
		Proxy             string            `json:"proxy"`
		CA                string            `json:"ca"`
		Headers           map[string]string `json:"headers"`
		MaxAgeSeconds     *float64          `json:"maxAgeSeconds"`
		At                string            `json:"at"`
	} `json:"client"`
	Call struct {
		Op        string           `json:"op"`
		Question  vectorQuestion   `json:"question"`
		Questions []vectorQuestion `json:"questions"`
		Request   json.RawMessage  `json:"request"`
		OrDeny    bool             `json:"orDeny"`
		Limit     *int             `json:"limit"`
		Times     int              `json:"times"`
		Together  int              `json:"together"`
		TimeoutMs int              `json:"timeoutMs"`
		RequestID string           `json:"requestId"`
	} `json:"call"`
	Script  []entry  `json:"script"`
	Outcome expected `json:"outcome"`
}

// vectorQuestion is a question with the options of a filter.
type vectorQuestion struct {
	Question
	Options struct {
		Explain bool   `json:"explain"`
		Partial string `json:"partial"`
	} `json:"options"`
}

type expected struct {
	Decision    *bool           `json:"decision"`
	Decided     *bool           `json:"decided"`
	Reason      *string         `json:"reason"`
	PolicyID    *string         `json:"policyId"`
	AccessPath  *string         `json:"accessPath"`
	Revision    *string         `json:"revision"`
	Error       Code            `json:"error"`
	Pointers    []string        `json:"pointers"`
	DetailHas   []string        `json:"detailHas"`
	DetailLacks []string        `json:"detailLacks"`
	Results     json.RawMessage `json:"results"`
	Metadata    json.RawMessage `json:"metadata"`
	Each        []expected      `json:"each"`
	Answer      json.RawMessage `json:"answer"`
	LeftOut     []LeftOut       `json:"leftOut"`
	WithinMs    int             `json:"withinMs"`
}

// TestVectors runs the cases that all SDKs share.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("../../test/vectors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no vectors: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var vectors struct {
			Cases []vector `json:"cases"`
		}
		if err := json.Unmarshal(text, &vectors); err != nil || len(vectors.Cases) == 0 {
			t.Fatalf("%s holds no cases: %v", file, err)
		}
		for _, one := range vectors.Cases {
			one := one
			numbered(reflect.ValueOf(&one.Call))
			t.Run(strings.TrimSuffix(filepath.Base(file), ".json")+"/"+one.Name, func(t *testing.T) {
				t.Parallel()
				one.run(t)
			})
		}
	}
}

// numbered puts numbers that JSON does not hold in the place of {"NUMBER": "NaN"}.
func numbered(value reflect.Value) {
	switch value.Kind() {
	case reflect.Interface:
		if text, ok := value.Interface().(map[string]any); ok && text["NUMBER"] != nil {
			number, _ := strconv.ParseFloat(text["NUMBER"].(string), 64)
			value.Set(reflect.ValueOf(number))
			return
		}
		numbered(value.Elem())
	case reflect.Pointer:
		numbered(value.Elem())
	case reflect.Map:
		for _, key := range value.MapKeys() {
			member := reflect.New(value.Type().Elem()).Elem()
			member.Set(value.MapIndex(key))
			numbered(member)
			value.SetMapIndex(key, member)
		}
	case reflect.Slice:
		for i := 0; i < value.Len(); i++ {
			numbered(value.Index(i))
		}
	case reflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			if value.Type().Field(i).IsExported() {
				numbered(value.Field(i))
			}
		}
	}
}

// nextQuestion takes the question of the next round.
func (v *vector) nextQuestion() {
	if len(v.Call.Questions) > 0 {
		v.Call.Question, v.Call.Questions = v.Call.Questions[0], v.Call.Questions[1:]
	}
}

func (v vector) run(t *testing.T) {
	network, address := "tcp", "127.0.0.1:0"
	if v.Client.URL == "SOCKET" {
		network, address = "unix", filepath.Join(t.TempDir(), "agent.sock")
	}
	server := startScripted(t, v.Script, network, address)
	defer server.end()
	client, err := v.client(server.base)
	if err != nil {
		v.Outcome.failed(t, err)
		return
	}
	defer client.Close()
	started := time.Now()
	switch {
	case v.Call.Together > 0:
		for wants := v.Outcome.Each; len(wants) > 0; wants = wants[v.Call.Together:] {
			v.nextQuestion()
			var calls sync.WaitGroup
			for i := 0; i < v.Call.Together; i++ {
				calls.Add(1)
				go func(want expected) {
					defer calls.Done()
					v.call(t, client, server, want)
				}(wants[i])
			}
			calls.Wait()
		}
	case v.Call.Times > 0:
		for i := 0; i < v.Call.Times; i++ {
			v.nextQuestion()
			v.call(t, client, server, v.Outcome.Each[i])
		}
	default:
		v.call(t, client, server, v.Outcome)
	}
	if within := v.Outcome.WithinMs; within > 0 {
		if took := time.Since(started); took > time.Duration(within+500)*time.Millisecond {
			t.Errorf("it took %s, want %d ms and 500 ms more at most", took, within)
		}
	}
}

func (v vector) client(base string) (*Client, error) {
	var options []Option
	given := v.Client
	if given.APIKey != "" {
		options = append(options, WithAPIKey(given.APIKey))
	}
	if given.ClientID != "" {
		options = append(options, WithClientCredentials(given.ClientID, given.ClientSecret))
	}
	if given.Retries != nil {
		options = append(options, WithRetries(*given.Retries))
	}
	if given.DecisionTimeoutMs != 0 {
		total, attempt := time.Duration(given.DecisionTimeoutMs), time.Duration(given.AttemptTimeoutMs)
		options = append(options, WithDecisionTimeouts(total*time.Millisecond, attempt*time.Millisecond))
	}
	if given.Batching {
		options = append(options, WithBatching(250*time.Millisecond))
	}
	if given.ReadsOwnWrites != nil && !*given.ReadsOwnWrites {
		options = append(options, WithoutReadingOwnWrites())
	}
	for name, value := range given.Headers {
		options = append(options, WithHeader(name, value))
	}
	if given.MaxAgeSeconds != nil {
		options = append(options, WithMaxAge(time.Duration(*given.MaxAgeSeconds*float64(time.Second))))
	}
	if given.At != "" {
		options = append(options, WithAt(given.At))
	}
	if given.CA != "" {
		options = append(options, WithCA(given.CA))
	}
	if given.Proxy != "" {
		_, host, _ := strings.Cut(base, "//")
		options = append(options, WithProxy(strings.ReplaceAll(given.Proxy, "HOST", host)))
	}
	if given.URL != "" && given.URL != "SOCKET" {
		base = given.URL
	}
	client, err := New(base, options...)
	if err == nil && given.NotBefore != "" {
		err = client.NotBefore(given.NotBefore)
	}
	return client, err
}

func (v vector) call(t *testing.T, client *Client, server *scriptedServer, want expected) {
	ctx := context.Background()
	var options []CallOption
	if v.Call.OrDeny {
		options = append(options, OrDeny())
	}
	if v.Call.TimeoutMs > 0 {
		options = append(options, Timeout(time.Duration(v.Call.TimeoutMs)*time.Millisecond))
	}
	if v.Call.RequestID != "" {
		options = append(options, RequestID(v.Call.RequestID))
	}
	if v.Call.Limit != nil {
		options = append(options, PageLimit(*v.Call.Limit))
	}
	switch v.Call.Op {
	case "isAllowed":
		allowed, err := client.IsAllowed(ctx, v.Call.Question.Question, options...)
		if want.failed(t, err) {
			if allowed {
				t.Error("it is allowed beside an error")
			}
		} else if allowed != *want.Decision {
			t.Errorf("it is %t, want %t", allowed, *want.Decision)
		}
	case "decide":
		decision, err := client.Decide(ctx, v.Call.Question.Question, options...)
		want.check(t, "the decision", Outcome{decision, err})
	case "decideAll":
		outcomes, err := client.DecideAll(ctx, v.batch(t), options...)
		if want.failed(t, err) {
			return
		}
		var each []expected
		unmarshal(t, want.Results, &each)
		if len(outcomes) != len(each) {
			t.Fatalf("there are %d outcomes, want %d", len(outcomes), len(each))
		}
		for i := range each {
			each[i].check(t, fmt.Sprintf("outcome %d", i), outcomes[i])
		}
	case "searchSubjects":
		var search SubjectSearch
		unmarshal(t, v.Call.Request, &search)
		var left []LeftOut
		options = append(options, OnLeftOut(func(one LeftOut) { left = append(left, one) }))
		found, err := client.SearchSubjects(ctx, search, options...).All()
		want.found(t, found, err)
		if want.LeftOut != nil && !reflect.DeepEqual(left, want.LeftOut) {
			t.Errorf("%v was left out, want %v", left, want.LeftOut)
		}
	case "searchResources":
		var search ResourceSearch
		unmarshal(t, v.Call.Request, &search)
		found, err := client.SearchResources(ctx, search, options...).All()
		want.found(t, found, err)
	case "searchActions":
		var search ActionSearch
		unmarshal(t, v.Call.Request, &search)
		found, err := client.SearchActions(ctx, search, options...).All()
		want.found(t, found, err)
	case "metadata":
		found, err := client.Metadata(ctx, options...)
		if !want.failed(t, err) {
			expect := strings.ReplaceAll(string(want.Metadata), "BASE", server.base)
			if text := marshal(t, found); !sameJSON(t, text, []byte(expect)) {
				t.Errorf("the metadata are %s, want %s", text, expect)
			}
		}
	case "filterRows", "filterParts":
		asked := v.Call.Question
		if asked.Options.Explain {
			options = append(options, Explain())
		}
		question := FilterQuestion{asked.Subject, asked.Action, asked.Resource, asked.Context, asked.Options.Partial == "ask"}
		if v.Call.Op == "filterParts" {
			found, err := client.FilterParts(ctx, question, options...).All()
			want.answered(t, found, err)
			return
		}
		found, err := client.FilterRows(ctx, question, options...)
		want.answered(t, found, err)
	case "filterSql":
		said, err := v.filterSQL(t)
		want.answered(t, said, err)
	default:
		managed := managedCalls[v.Call.Op]
		if managed == nil {
			t.Fatalf("the runner does not know the call %q", v.Call.Op)
		}
		var request asked
		if v.Call.Request != nil {
			unmarshal(t, v.Call.Request, &request)
		}
		answer, err := managed(ctx, client, request, options)
		want.answered(t, answer, err)
	}
}

func (want expected) answered(t *testing.T, answer any, err error) {
	if want.failed(t, err) {
		return
	}
	var found, wanted any
	unmarshal(t, marshal(t, answer), &found)
	unmarshal(t, want.Answer, &wanted)
	if !holds(found, wanted) {
		t.Errorf("the answer is %s, want %s", marshal(t, answer), want.Answer)
	}
}

// filterSQL says a filter as the vectors have it.
func (v vector) filterSQL(t *testing.T) (SQLFilter, error) {
	var request struct {
		Filter  RowFilter  `json:"filter"`
		Dialect SQLDialect `json:"dialect"`
		Columns struct {
			Name       string            `json:"name"`
			Properties map[string]any    `json:"properties"`
			Parents    map[string]string `json:"parents"`
		} `json:"columns"`
	}
	unmarshal(t, v.Call.Request, &request)
	given := request.Columns
	columns := FilterColumns{given.Name, map[string]string{}, map[string]string{}, given.Parents}
	for name, column := range given.Properties {
		if array, ok := column.(map[string]any); ok {
			columns.Arrays[name] = array["column"].(string)
		} else {
			columns.Properties[name] = column.(string)
		}
	}
	return FilterSQL(request.Filter, columns, request.Dialect)
}

// batch reads a request as AuthZEN writes it.
func (v vector) batch(t *testing.T) Batch {
	var request batchBody
	unmarshal(t, v.Call.Request, &request)
	batch := Batch{request.Subject, request.Action, request.Resource, request.Context, request.Evaluations, "", false}
	if request.Options != nil {
		batch.Semantic, batch.Reasons = request.Options.Semantic, request.Options.Reasons
	}
	return batch
}

func (want expected) found(t *testing.T, found any, err error) {
	if !want.failed(t, err) {
		if text := marshal(t, found); !sameJSON(t, text, want.Results) {
			t.Errorf("found %s, want %s", text, want.Results)
		}
	}
}

// failed is true where an error is wanted, and checks it.
func (want expected) failed(t *testing.T, err error) bool {
	t.Helper()
	if want.Error == "" {
		if err != nil {
			t.Errorf("got the error %v, want none", err)
		}
		return err != nil
	}
	if err == nil {
		t.Errorf("got no error, want %s", want.Error)
		return true
	}
	failed := asError(err)
	if failed.Code != want.Error {
		t.Errorf("got the error %v, want %s", err, want.Error)
	}
	for i, pointer := range want.Pointers {
		if len(failed.Fields) != len(want.Pointers) || failed.Fields[i].Pointer != pointer {
			t.Errorf("the fields are %v, want the pointers %v", failed.Fields, want.Pointers)
		}
	}
	for _, part := range want.DetailHas {
		if !strings.Contains(failed.Detail, part) {
			t.Errorf("the detail %q lacks %q", failed.Detail, part)
		}
	}
	for _, part := range want.DetailLacks {
		if strings.Contains(fmt.Sprintf("%s %+v", err, *failed), part) {
			t.Errorf("the error %q holds %q", err, part)
		}
	}
	return true
}

func (want expected) check(t *testing.T, what string, got Outcome) {
	t.Helper()
	if want.failed(t, got.Err) {
		if got.Decision.Allowed {
			t.Errorf("%s is allowed beside an error", what)
		}
		return
	}
	if got.Decision.Allowed != *want.Decision {
		t.Errorf("%s is %t, want %t", what, got.Decision.Allowed, *want.Decision)
	}
	decided := want.Decided == nil || *want.Decided
	if got.Decision.Decided != decided || decided == (got.Decision.Cause != nil) {
		t.Errorf("%s says decided=%t and the cause %v", what, got.Decision.Decided, got.Decision.Cause)
	}
	for name, pair := range map[string][2]*string{
		"reason":      {&got.Decision.Reason, want.Reason},
		"policy":      {&got.Decision.PolicyID, want.PolicyID},
		"access path": {&got.Decision.AccessPath, want.AccessPath},
		"revision":    {&got.Decision.Revision, want.Revision},
	} {
		if pair[1] != nil && *pair[0] != *pair[1] {
			t.Errorf("the %s of %s is %q, want %q", name, what, *pair[0], *pair[1])
		}
	}
}

func unmarshal(t *testing.T, text []byte, value any) {
	t.Helper()
	if err := json.Unmarshal(text, value); err != nil {
		t.Fatal(err)
	}
	numbered(reflect.ValueOf(value))
}

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
