// Puts AuthZEN requests to decision points through this SDK, for tests that ask the same by other means: a line of standard
// input is a task, and a line of standard output its answer in AuthZEN's form. `test/src/sdk/asker.ts` starts it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"reflect"

	authz "github.com/authz-service/service/sdk/go"
)

type task struct {
	URL      string          `json:"url"`
	APIKey   string          `json:"apiKey"`
	Discover bool            `json:"discover"`
	Path     string          `json:"path"`
	Body     json.RawMessage `json:"body"`
}

type answer struct {
	Status int `json:"status"`
	Body   any `json:"body"`
	// Unsayable: the types of this SDK have no such request.
	Unsayable bool `json:"unsayable,omitempty"`
}

var errUnsayable = errors.New("there is no such request")

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked task
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(asked.answer()); err != nil {
			log.Fatal(err)
		}
	}
}

func (t task) answer() answer {
	body, err := t.ask(context.Background())
	var failed *authz.Error
	switch {
	case errors.Is(err, errUnsayable):
		return answer{Unsayable: true}
	case errors.As(err, &failed):
		return answer{Status: failed.Status, Body: map[string]any{"code": failed.Code, "detail": failed.Detail, "errors": failed.Fields}}
	case err != nil:
		log.Fatal(err)
	}
	return answer{Status: 200, Body: body}
}

func (t task) ask(ctx context.Context) (any, error) {
	options := []authz.Option{}
	if t.APIKey != "" {
		options = append(options, authz.WithAPIKey(t.APIKey))
	}
	client, err := authz.New(t.URL, options...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if t.Discover {
		if _, err := client.Discover(ctx); err != nil {
			return nil, err
		}
	}
	switch t.Path {
	case "evaluation":
		return t.decide(ctx, client)
	case "evaluations":
		return t.decideAll(ctx, client)
	}
	paged, limit, err := t.pages()
	if err != nil {
		return nil, err
	}
	var found []any
	switch t.Path {
	case "search/subject":
		var search authz.SubjectSearch
		if err := t.say(&search); err != nil {
			return nil, err
		}
		found, err = all(client.SearchSubjects(ctx, search, limit...))
	case "search/resource":
		var search authz.ResourceSearch
		if err := t.say(&search); err != nil {
			return nil, err
		}
		found, err = all(client.SearchResources(ctx, search, limit...))
	default:
		var search authz.ActionSearch
		if err := t.say(&search); err != nil {
			return nil, err
		}
		found, err = all(client.SearchActions(ctx, search, limit...))
	}
	if err != nil {
		return nil, err
	}
	body := map[string]any{"results": found}
	if paged {
		// The SDK turns the pages by itself: they come as one.
		body["page"] = map[string]any{"next_token": "", "count": len(found)}
	}
	return body, nil
}

func (t task) decide(ctx context.Context, client *authz.Client) (any, error) {
	var question authz.Question
	if err := t.say(&question); err != nil {
		return nil, err
	}
	decision, err := client.Decide(ctx, question)
	if err != nil {
		return nil, err
	}
	return map[string]any{"decision": decision.Allowed, "context": decision.Context}, nil
}

func (t task) decideAll(ctx context.Context, client *authz.Client) (any, error) {
	var list struct {
		Evaluations json.RawMessage `json:"evaluations"`
	}
	if err := json.Unmarshal(t.Body, &list); err != nil {
		return nil, err
	}
	if list.Evaluations == nil || string(list.Evaluations) == "[]" {
		return t.decide(ctx, client)
	}
	var said struct {
		Subject     *authz.Subject     `json:"subject,omitempty"`
		Action      *authz.Action      `json:"action,omitempty"`
		Resource    *authz.Resource    `json:"resource,omitempty"`
		Context     map[string]any     `json:"context,omitempty"`
		Evaluations []authz.Evaluation `json:"evaluations"`
		Options     struct {
			Semantic authz.Semantic `json:"evaluations_semantic,omitempty"`
			Reasons  bool           `json:"reasons,omitempty"`
		} `json:"options"`
	}
	if err := t.say(&said); err != nil {
		return nil, err
	}
	outcomes, err := client.DecideAll(ctx, authz.Batch{
		Subject: said.Subject, Action: said.Action, Resource: said.Resource, Context: said.Context,
		Evaluations: said.Evaluations, Semantic: said.Options.Semantic, Reasons: said.Options.Reasons,
	})
	if err != nil {
		return nil, err
	}
	items := []any{}
	for _, outcome := range outcomes {
		var failed *authz.Error
		switch {
		case errors.Is(outcome.Err, authz.ErrNotEvaluated):
			continue
		case errors.As(outcome.Err, &failed):
			stated := map[string]any{"code": failed.Code, "status": failed.Status, "message": failed.Detail, "errors": failed.Fields}
			items = append(items, map[string]any{"decision": false, "context": map[string]any{"error": stated}})
		default:
			items = append(items, map[string]any{"decision": outcome.Decision.Allowed})
		}
	}
	return map[string]any{"evaluations": items}, nil
}

// pages is true where the results are to come by pages.
func (t task) pages() (bool, []authz.CallOption, error) {
	var body struct {
		Page *struct {
			Limit any `json:"limit"`
			Token any `json:"token"`
		} `json:"page"`
	}
	if err := json.Unmarshal(t.Body, &body); err != nil {
		return false, nil, err
	}
	if body.Page == nil {
		return false, nil, nil
	}
	limit, whole := body.Page.Limit.(float64)
	if !whole || limit != float64(int(limit)) || body.Page.Token != nil {
		return false, nil, errUnsayable
	}
	return true, []authz.CallOption{authz.PageLimit(int(limit))}, nil
}

func all[T any](found *authz.Iterator[T]) ([]any, error) {
	results := []any{}
	for found.Next() {
		results = append(results, found.Value())
	}
	return results, found.Err()
}

// say reads the task's body as a value of the SDK. It is unsayable where that value would be sent with more than the body
// has; members that nobody knows are left out.
func (t task) say(value any) error {
	if err := json.Unmarshal(t.Body, value); err != nil {
		return errUnsayable
	}
	sent, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var want, got any
	if err := json.Unmarshal(t.Body, &want); err != nil {
		return err
	}
	if err := json.Unmarshal(sent, &got); err != nil {
		return err
	}
	if !within(got, want) {
		return errUnsayable
	}
	return nil
}

// within tells that all members of a value are in another one.
func within(value, whole any) bool {
	switch value := value.(type) {
	case map[string]any:
		members, same := whole.(map[string]any)
		for name, member := range value {
			if options, isOptions := member.(map[string]any); isOptions && name == "options" && len(options) == 0 {
				continue
			}
			if other, there := members[name]; !there || !within(member, other) {
				return false
			}
		}
		return same
	case []any:
		items, same := whole.([]any)
		if !same || len(items) != len(value) {
			return false
		}
		for i := range value {
			if !within(value[i], items[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(value, whole)
}
