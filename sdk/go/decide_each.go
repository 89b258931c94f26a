package authz

import (
	"context"
	"time"
)

// decideEach asks the questions of a batch one after the other, as far as its semantic goes.
func (c *Client) decideEach(ctx context.Context, batch Batch, deadline time.Time, o callOptions) []Outcome {
	outcomes := make([]Outcome, len(batch.Evaluations))
	for i, evaluation := range batch.Evaluations {
		if shortCircuited(batch.Semantic, outcomes[:i]) {
			for left := i; left < len(outcomes); left++ {
				outcomes[left].Err = notEvaluated(batch.Semantic)
			}
			break
		}
		o.total = time.Until(deadline)
		if o.total <= 0 {
			outcomes[i].Err = failure(CodeTimeout, "The questions before this one took all the time of the batch.")
			continue
		}
		ctx, span := c.span(ctx, "authz.decide")
		outcomes[i] = c.decideAlone(ctx, batch.question(evaluation), &o, span)
		if outcomes[i].Err == nil {
			outcomes[i].Decision.tell(span)
		}
		ended(span, outcomes[i].Err)
	}
	return outcomes
}

// question is one of the batch with what it takes from the whole.
func (b Batch) question(e Evaluation) Question {
	question := Question{Context: b.Context}
	for _, subject := range []*Subject{b.Subject, e.Subject} {
		if subject != nil {
			question.Subject = *subject
		}
	}
	for _, action := range []*Action{b.Action, e.Action} {
		if action != nil {
			question.Action = *action
		}
	}
	for _, resource := range []*Resource{b.Resource, e.Resource} {
		if resource != nil {
			question.Resource = *resource
		}
	}
	if e.Context != nil {
		question.Context = e.Context
	}
	return question
}
