package authz

import "encoding/json"

// Decision is an answer. Its zero value denies.
type Decision struct {
	Allowed bool
	// Decided is false only where OrDeny has made a denial of what could not be decided.
	Decided bool
	// Reason says in a sentence why.
	Reason string
	// PolicyID is the id of the deciding policy.
	PolicyID string
	// AccessPath says how the subject reaches that policy: "direct", "role", "group" or "none".
	AccessPath string
	// Revision is the tenant's revision at which it was decided; empty if the decision point names none.
	Revision string
	// Explanation has all candidates, where Explain asked for it.
	Explanation *Explanation
	// Context is what the decision point added, as it came.
	Context json.RawMessage
	// Cause says why it could not be decided; nil if Decided.
	Cause error
}

// Explanation lists the policies that were looked at.
type Explanation struct {
	Candidates []Candidate `json:"candidates"`
	// MaxAge is nil unless the resource type limits the age of the records that decide about it.
	MaxAge *ExplainedMaxAge `json:"max_age,omitempty"`
}

// ExplainedMaxAge says how old the records were that decided, and might have been.
type ExplainedMaxAge struct {
	// Of is the address of the resource type.
	Of         string  `json:"of"`
	Seconds    float64 `json:"seconds"`
	AgeSeconds float64 `json:"age_seconds"`
}

// Candidate is a policy assigned to the subject or to what it acts as, that covers resource and action.
type Candidate struct {
	// Policy is the address of the policy.
	Policy     string `json:"policy"`
	PolicyID   string `json:"policy_id"`
	Effect     string `json:"effect"`
	Priority   int    `json:"priority"`
	AccessPath string `json:"access_path"`
	// Through holds the addresses on the way from the subject to the principal that the policy is assigned to.
	Through []string `json:"through"`
	// Place is the address of the resource on which the role is held; empty if it is held everywhere.
	Place string `json:"place,omitempty"`
	// Outcome is "applies", "does_not_apply" or "failed".
	Outcome string `json:"outcome"`
	Why     string `json:"why"`
	// Clauses are those of its condition, modifiers and unless; empty if it has none, or its links do not count now.
	Clauses []Clause `json:"clauses,omitempty"`
	// ClausesLeftOut says how many more clauses it has: the lists are bounded.
	ClausesLeftOut int `json:"clauses_left_out,omitempty"`
}

// Clause is a part of a policy's condition that is true or false by itself, or a modifier, and what came of it.
type Clause struct {
	// Clause is its text, "modifiers.NAME" or "unless.NAME"; a long one is cut off.
	Clause string `json:"clause"`
	// Outcome is "true", "false", "absent" or "failed".
	Outcome string `json:"outcome"`
	// Why names the attribute that is absent, or the cause of the failure.
	Why string `json:"why,omitempty"`
	// Values has what it reads, as JSON texts by attribute; long ones are cut off.
	Values map[string]string `json:"values,omitempty"`
}

// Outcome is the answer to one question of several: a decision, or the error why there is none.
type Outcome struct {
	Decision Decision
	Err      error
}

// evaluation is an answer on the wire, by the exact names of its members: in a struct, encoding/json would take "Decision"
// for the decision as well, and so let the last of the two win.
type evaluation map[string]json.RawMessage

// outcome reads one answer. Whatever is not plainly a decision could not be decided.
func (e evaluation) outcome(came *answer) Outcome {
	decided := string(e["decision"])
	if decided != "true" && decided != "false" {
		missing := failure(CodeNetwork, "The answer holds no decision: that is not a decision point.")
		missing.Status = came.status
		return Outcome{Err: missing}
	}
	decision := Decision{Allowed: decided == "true", Decided: true, Revision: came.revision(), Context: e["context"]}
	if len(decision.Context) == 0 {
		return Outcome{Decision: decision}
	}
	var context struct {
		Reason      any             `json:"reason"`
		PolicyID    any             `json:"policy_id"`
		AccessPath  any             `json:"access_path"`
		Explanation json.RawMessage `json:"explanation"`
		Error       json.RawMessage `json:"error"`
	}
	if json.Unmarshal(decision.Context, &context) != nil {
		// Another vendor's context may be anything; what it says beside the decision is not understood.
		return Outcome{Decision: decision}
	}
	if len(context.Error) > 0 && string(context.Error) != "null" {
		return Outcome{Err: itemError(context.Error)}
	}
	decision.Reason, _ = context.Reason.(string)
	decision.PolicyID, _ = context.PolicyID.(string)
	decision.AccessPath, _ = context.AccessPath.(string)
	if len(context.Explanation) > 0 {
		var explanation Explanation
		if json.Unmarshal(context.Explanation, &explanation) == nil {
			decision.Explanation = &explanation
		}
	}
	return Outcome{Decision: decision}
}

func itemError(text json.RawMessage) *Error {
	var stated struct {
		Status  any `json:"status"`
		Code    any `json:"code"`
		Message any `json:"message"`
		Errors  any `json:"errors"`
	}
	_ = json.Unmarshal(text, &stated)
	code, _ := stated.Code.(string)
	status, _ := stated.Status.(float64)
	failed := &Error{Code: codeOf(code, int(status)), Status: int(status), Fields: fieldsOf(stated.Errors)}
	failed.Detail, _ = stated.Message.(string)
	if failed.Detail == "" {
		failed.Detail = "The decision point could not decide this, and does not say why."
	}
	return failed
}

// orDeny makes a denial of a failure where the call asks for that.
func (o Outcome) orDeny(wanted bool) Outcome {
	if o.Err == nil || !wanted {
		return o
	}
	return Outcome{Decision: Decision{Reason: "It could not be decided, and the caller denies what is unknown.", Cause: o.Err}}
}
