package authz

import (
	"encoding/json"
	"testing"
)

func TestExplanationHasClauses(t *testing.T) {
	context := `{"reason": "r", "explanation": {"candidates": [{"policy": "policy/p", "clauses_left_out": 2, "clauses": [
		{"clause": "context.n < 3", "outcome": "false", "values": {"context.n": "4"}},
		{"clause": "context.mfa", "outcome": "absent", "why": "context.mfa"}]}]}}`
	outcome := evaluation{"decision": json.RawMessage("false"), "context": json.RawMessage(context)}.outcome(&answer{})
	if outcome.Err != nil || outcome.Decision.Explanation == nil {
		t.Fatalf("got %+v", outcome)
	}
	candidate := outcome.Decision.Explanation.Candidates[0]
	if candidate.ClausesLeftOut != 2 || len(candidate.Clauses) != 2 {
		t.Fatalf("got %+v", candidate)
	}
	first, second := candidate.Clauses[0], candidate.Clauses[1]
	if first.Clause != "context.n < 3" || first.Outcome != "false" || first.Values["context.n"] != "4" {
		t.Errorf("got %+v", first)
	}
	if second.Outcome != "absent" || second.Why != "context.mfa" || second.Values != nil {
		t.Errorf("got %+v", second)
	}
}
