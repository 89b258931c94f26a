package authz

import "context"

// Tracer starts a span for each call. It has the shape of OpenTelemetry's, which an application adapts in a few lines.
// Spans hold no names of subjects or resources: authz.decision, authz.questions, authz.attempts, and the code of an error.
type Tracer interface {
	Start(ctx context.Context, name string) (context.Context, Span)
}

// Span is one call. Values are strings, integers and booleans.
type Span interface {
	SetAttribute(name string, value any)
	// SetError marks the span as failed; the code is one of this package.
	SetError(code Code)
	End()
}

type silent struct{}

func (silent) SetAttribute(string, any) {}
func (silent) SetError(Code)            {}
func (silent) End()                     {}

// span starts one where there is a tracer.
func (c *Client) span(ctx context.Context, name string) (context.Context, Span) {
	if c.tracer == nil {
		return ctx, silent{}
	}
	return c.tracer.Start(ctx, name)
}

// ended closes a span with the outcome of its call.
func ended(span Span, err error) {
	if err != nil {
		span.SetError(asError(err).Code)
	}
	span.End()
}
