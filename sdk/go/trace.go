package authz

import "context"

// Tracer starts a span for each call. It has the shape of OpenTelemetry's, which this package does not depend on; an
// application that has it adapts it:
//
//	type tracer struct{ trace.Tracer }
//
//	func (t tracer) Start(ctx context.Context, name string) (context.Context, authz.Span) {
//		ctx, started := t.Tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient))
//		return ctx, span{started}
//	}
//
//	type span struct{ trace.Span }
//
//	func (s span) SetAttribute(name string, value any) {
//		s.Span.SetAttributes(attribute.String(name, fmt.Sprint(value)))
//	}
//	func (s span) SetError(code authz.Code) { s.Span.SetStatus(codes.Error, string(code)) }
//	func (s span) End()                     { s.Span.End() }
//
//	client, err := authz.New(base, authz.WithTracer(tracer{otel.Tracer("my-application")}))
//
// Spans hold no names of subjects or resources: authz.decision, authz.questions, authz.attempts, authz.revision where the
// decision point says it in the header Service-Revision, and the code of an error.
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

// tell records a decision in its span.
func (d Decision) tell(span Span) {
	span.SetAttribute("authz.decision", d.Allowed)
	tellRevision(span, d.Revision)
}

func tellRevision(span Span, revision string) {
	if revision != "" {
		span.SetAttribute("authz.revision", revision)
	}
}

// ended closes a span with the outcome of its call.
func ended(span Span, err error) {
	if err != nil {
		span.SetError(asError(err).Code)
	}
	span.End()
}
