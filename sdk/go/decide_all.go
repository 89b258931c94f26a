package authz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

const evaluationsPath = "/access/v1/evaluations"

// Semantic says how far a batch goes.
type Semantic string

// The semantics of AuthZEN 1.0 section 7.1.2.1. A failure is a denial to them.
const (
	ExecuteAll          Semantic = "execute_all"
	DenyOnFirstDeny     Semantic = "deny_on_first_deny"
	PermitOnFirstPermit Semantic = "permit_on_first_permit"
)

// Batch holds several questions. An evaluation without a Subject, Action, Resource or Context takes that of the batch
// as a whole.
type Batch struct {
	Subject     *Subject
	Action      *Action
	Resource    *Resource
	Context     map[string]any
	Evaluations []Evaluation
	// Semantic is ExecuteAll unless given.
	Semantic Semantic
	// Reasons asks for the reason, policy and path of each decision; the service leaves them out otherwise.
	Reasons bool
}

// Evaluation is one question of a batch.
type Evaluation struct {
	Subject  *Subject  `json:"subject,omitempty"`
	Action   *Action   `json:"action,omitempty"`
	Resource *Resource `json:"resource,omitempty"`
	// Context takes the place of the batch's own where it is not nil, even if it is empty.
	Context map[string]any `json:"context,omitempty"`
}

// MarshalJSON keeps an empty context, which omitempty leaves out, so that the batch's own does not count in its place.
func (e Evaluation) MarshalJSON() ([]byte, error) {
	type members Evaluation
	if e.Context == nil || len(e.Context) > 0 {
		return json.Marshal(members(e))
	}
	return json.Marshal(struct {
		members
		Context map[string]any `json:"context"`
	}{members(e), e.Context})
}

type batchBody struct {
	Subject     *Subject         `json:"subject,omitempty"`
	Action      *Action          `json:"action,omitempty"`
	Resource    *Resource        `json:"resource,omitempty"`
	Context     map[string]any   `json:"context,omitempty"`
	Evaluations []Evaluation     `json:"evaluations"`
	Options     *questionOptions `json:"options,omitempty"`
}

// DecideAll asks several questions in one request, which are decided at one revision; in several requests if there are more
// than 1,000, and one after the other where the decision point takes no batches. There is an outcome for each, in their order; one that a short circuit has left out is
// ErrNotEvaluated. The error is that of a whole request.
func (c *Client) DecideAll(ctx context.Context, batch Batch, options ...CallOption) ([]Outcome, error) {
	if len(batch.Evaluations) == 0 {
		return nil, nil
	}
	o := optionsOf(options)
	total := c.decision.total
	if o.total > 0 {
		total = o.total
	}
	deadline := time.Now().Add(total)
	outcomes := make([]Outcome, 0, len(batch.Evaluations))
	fill := func(err error) {
		for len(outcomes) < len(batch.Evaluations) {
			outcomes = append(outcomes, Outcome{Err: err})
		}
	}
	for at := 0; at < len(batch.Evaluations) && len(outcomes) == at; at += batchMax {
		chunk := batch
		chunk.Evaluations = batch.Evaluations[at:]
		if len(chunk.Evaluations) > batchMax {
			chunk.Evaluations = chunk.Evaluations[:batchMax]
		}
		if at > 0 {
			o.total = time.Until(deadline)
			if o.total <= 0 {
				o.total = time.Nanosecond
			}
		}
		found, err := c.decideAll(ctx, chunk, deadline, &o)
		err = inWholeBatch(err, at)
		if err != nil && !o.orDeny {
			return nil, err
		}
		if err != nil {
			fill(err)
			break
		}
		outcomes = append(outcomes, found...)
		if errors.Is(found[len(found)-1].Err, ErrNotEvaluated) || shortCircuited(batch.Semantic, found) {
			fill(notEvaluated(batch.Semantic))
		}
	}
	for i := range outcomes {
		outcomes[i] = outcomes[i].orDeny(o.orDeny)
	}
	return outcomes, nil
}

var questionPlace = regexp.MustCompile(`/evaluations/(\d+)`)

// inWholeBatch gives the error of one request of a batch that was split: its places count from the first question of the
// whole batch.
func inWholeBatch(err error, first int) error {
	if err == nil || first == 0 {
		return err
	}
	placed := func(text string) string {
		return questionPlace.ReplaceAllStringFunc(text, func(found string) string {
			index, _ := strconv.Atoi(questionPlace.FindStringSubmatch(found)[1])
			return fmt.Sprintf("/evaluations/%d", index+first)
		})
	}
	whole := *asError(err)
	whole.Detail = placed(whole.Detail)
	whole.Fields = append([]FieldError(nil), whole.Fields...)
	for i := range whole.Fields {
		whole.Fields[i].Pointer = placed(whole.Fields[i].Pointer)
	}
	return &whole
}

func (c *Client) decideAll(ctx context.Context, batch Batch, deadline time.Time, o *callOptions) ([]Outcome, error) {
	if !c.withoutBatches() {
		outcomes, err := c.decideTogether(ctx, batch, o)
		if err == nil || !isWithoutBatches(err) {
			return outcomes, err
		}
	}
	outcomes := c.decideEach(ctx, batch, deadline, *o)
	for i := range outcomes {
		if outcomes[i].Err == nil {
			// Where nothing is answered, the address may be away for a while.
			c.batchless.Store(true)
			break
		}
	}
	return outcomes, nil
}

// isWithoutBatches says whether a decision point answers by this that it takes no batches.
func isWithoutBatches(err error) bool {
	switch asError(err).Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}

// decideTogether asks the questions of a batch in one request.
func (c *Client) decideTogether(ctx context.Context, batch Batch, o *callOptions) ([]Outcome, error) {
	ctx, span := c.span(ctx, "authz.decide_all")
	span.SetAttribute("authz.questions", len(batch.Evaluations))
	body, err := encode(batchBody{
		batch.Subject, batch.Action, batch.Resource, batch.Context, batch.Evaluations,
		questionOptions{Explain: o.explain, Semantic: batch.Semantic, Reasons: batch.Reasons}.orNone(),
	})
	var outcomes []Outcome
	if err == nil {
		outcomes, err = c.evaluations(ctx, body, len(batch.Evaluations), batch.Semantic, o, span)
	}
	ended(span, err)
	return outcomes, err
}

// evaluations sends a batch and gives as many outcomes as it has questions.
func (c *Client) evaluations(ctx context.Context, body []byte, asked int, semantic Semantic, o *callOptions, span Span) ([]Outcome, error) {
	items, came, err := c.items(ctx, body, asked, o, span)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, asked)
	for i, item := range items {
		outcomes[i] = item.outcome(came)
	}
	rest := c.unanswered()
	if shortCircuited(semantic, outcomes[:len(items)]) {
		rest = notEvaluated(semantic)
	}
	for i := len(items); i < asked; i++ {
		outcomes[i].Err = rest
	}
	return outcomes, nil
}

// items sends a batch and gives the decisions that came, unread, with the answer that they came in.
func (c *Client) items(ctx context.Context, body []byte, asked int, o *callOptions, span Span) ([]evaluation, *answer, error) {
	r := c.ask(evaluationsPath, body, span)
	came, err := c.send(ctx, r, o)
	if err != nil {
		return nil, nil, err
	}
	var answered struct {
		Evaluations *[]evaluation `json:"evaluations"`
	}
	var malformed *json.UnmarshalTypeError
	// An item that is no object stays nil, and so could not be decided, while the others keep their decisions.
	if err := c.decode(came, r, &answered); err != nil && !errors.As(err, &malformed) {
		return nil, nil, err
	}
	if answered.Evaluations == nil || *answered.Evaluations == nil {
		return nil, nil, c.notTheService(came, r)
	}
	items := *answered.Evaluations
	if len(items) > asked {
		return nil, nil, failure(CodeNetwork, "POST %s%s answered %d decisions to %d questions: that is not the answer to them.",
			c.address, r.route, len(items), asked)
	}
	tellRevision(span, came.revision())
	return items, came, nil
}

func (c *Client) unanswered() *Error {
	return failure(CodeNetwork, "POST %s%s left this question unanswered.", c.address, evaluationsPath)
}

func notEvaluated(semantic Semantic) *Error {
	return failure(CodeNotEvaluated, "An earlier decision ended the batch, as %s says.", semantic)
}

func shortCircuited(semantic Semantic, answered []Outcome) bool {
	if len(answered) == 0 {
		return false
	}
	allowed := answered[len(answered)-1].Err == nil && answered[len(answered)-1].Decision.Allowed
	return semantic == DenyOnFirstDeny && !allowed || semantic == PermitOnFirstPermit && allowed
}
