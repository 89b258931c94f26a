package authztest

import (
	"net/http"
	"sort"
	"strconv"

	authz "github.com/authz-service/service/sdk/go"
)

// search answers the questions that come of putting, in the place that is searched for, what the rows of the table name
// there. Properties and context count no more than they do in decisions.
func (f *Fake) search(wanted string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			authz.Question
			Page struct {
				Token string `json:"token"`
				Limit int    `json:"limit"`
			} `json:"page"`
		}
		if !f.read(w, r, &asked) {
			return
		}
		results := f.found(wanted, asked.Question)
		from, _ := strconv.Atoi(asked.Page.Token)
		if from < 0 || from > len(results) {
			problem(w, http.StatusBadRequest, authz.CodeInvalidCursor)
			return
		}
		body := map[string]any{}
		if to := from + asked.Page.Limit; asked.Page.Limit > 0 && to < len(results) {
			results = results[:to]
			body["page"] = map[string]any{"next_token": strconv.Itoa(to), "count": to - from}
		}
		body["results"] = results[from:]
		reply(w, http.StatusOK, "application/json", body)
	}
}

// found has what is allowed, in the order of its names.
func (f *Fake) found(wanted string, question authz.Question) []any {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	names := map[string]bool{}
	for _, row := range f.rows {
		names[map[string]string{"subject": row.subject, "resource": row.resource, "action": row.action}[wanted]] = true
	}
	delete(names, Any)
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	results := []any{}
	for _, name := range sorted {
		one, result := question, any(nil)
		switch wanted {
		case "subject":
			one.Subject.ID = name
			result = authz.Entity{Type: question.Subject.Type, ID: name}
		case "resource":
			one.Resource.ID, one.Resource.Name = name, ""
			result = authz.Entity{Type: question.Resource.Type, ID: name}
		default:
			one.Action.Name = name
			result = authz.FoundAction{Name: name}
		}
		if f.lookUp(one).allowed {
			results = append(results, result)
		}
	}
	return results
}
