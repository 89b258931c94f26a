package authz

import (
	"context"
	"net/http"
)

const evaluationPath = "/access/v1/evaluation"

// IsAllowed says whether the subject may do the action to the resource. It is false beside an error, which means that nobody
// decided, and is an *Error.
func (c *Client) IsAllowed(ctx context.Context, question Question, options ...CallOption) (bool, error) {
	decision, err := c.Decide(ctx, question, options...)
	return decision.Allowed && err == nil, err
}

// Decide is IsAllowed with the reason. It asks whether the subject may do the action to the resource. A denial is no error; an error means that nobody
// decided, and is an *Error.
func (c *Client) Decide(ctx context.Context, question Question, options ...CallOption) (Decision, error) {
	o := optionsOf(options)
	ctx, span := c.span(ctx, "authz.decide")
	var outcome Outcome
	if c.batcher != nil && !o.explain && o.requestID == "" && o.attempt == 0 {
		outcome = c.batcher.decide(ctx, question, &o, span)
	} else {
		outcome = c.decideAlone(ctx, question, &o, span)
	}
	if outcome.Err == nil && c.tracer != nil {
		outcome.Decision.tell(span)
	}
	ended(span, outcome.Err)
	outcome = outcome.orDeny(o.orDeny)
	return outcome.Decision, outcome.Err
}

// decideAlone asks in a request of its own.
func (c *Client) decideAlone(ctx context.Context, question Question, o *callOptions, span Span) Outcome {
	var body []byte
	var err error
	if o.explain {
		body, err = encode(struct {
			Question
			Options *questionOptions `json:"options"`
		}{question, &questionOptions{Explain: true}})
	} else {
		body, err = encode(&question)
	}
	if err != nil {
		return Outcome{Err: err}
	}
	r := c.ask(evaluationPath, body, span)
	came, err := c.send(ctx, r, o)
	if err != nil {
		return Outcome{Err: err}
	}
	var answered evaluation
	if err := c.decode(came, r, &answered); err != nil {
		return Outcome{Err: err}
	}
	return answered.outcome(came)
}

// ask is a decision's request to one of AuthZEN's paths, or to where the metadata say that it is.
func (c *Client) ask(path string, body []byte, span Span) request {
	return request{
		method:      http.MethodPost,
		route:       path,
		target:      c.endpoint(path),
		body:        body,
		contentType: "application/json",
		profile:     c.decision,
		past:        true,
		span:        span,
	}
}
