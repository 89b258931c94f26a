package authz

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// request is one call, as it is sent at each attempt.
type request struct {
	method string
	// route names the call in errors and spans, without what might name a person: "/v1/subjects/{id}".
	route string
	// target is the address in full.
	target      string
	header      http.Header
	body        []byte
	contentType string
	profile     profile
	// once: another attempt might do it twice, so it is repeated only if it certainly was not processed.
	once bool
	// past: the answer may be about the past, as of the client's moment.
	past bool
	// reading: it changes nothing, although neither its method nor its route says so.
	reading bool
	// anonymous: without the client's credential.
	anonymous bool
	// answeredBy says which statuses answer it; nil means 200 alone, as for decisions, searches and tokens.
	answeredBy func(status int) bool
	// secrets are what no error may repeat, besides the credential.
	secrets []string
	span    Span
	// refused is why it cannot be sent at all; nil if it can.
	refused error
}

// reads says whether the answer depends on the tenant's revision, and the request changes nothing.
func (r *request) reads() bool {
	return r.method == http.MethodGet || strings.HasPrefix(r.route, "/access/") || r.reading
}

// answer is an answer that has been read as a whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// revision is the tenant's revision at which the answer was found; empty if the decision point names none.
func (a *answer) revision() string { return a.header.Get("Service-Revision") }

// fault is a failed attempt.
type fault struct {
	err   *Error
	state requestState
	wait  time.Duration
}

const unclearNote = " It is not known whether the change was made: look before you try again."

// send makes attempts until one is answered, the deadline is near, or another one would be of no use.
func (c *Client) send(ctx context.Context, r request, o *callOptions) (*answer, error) {
	if o.requestID != "" && !headerSafe(o.requestID) {
		return nil, failure(CodeInvalidRequest, "A request id has 1 to 256 visible ASCII characters: choose another one.")
	}
	if err := c.date(&r); err != nil {
		return nil, err
	}
	if o.total > 0 {
		r.profile.total = o.total
	}
	if o.attempt > 0 {
		r.profile.attempt = o.attempt
	}
	overall, cancel := context.WithTimeout(ctx, r.profile.total)
	defer cancel()
	deadline, _ := overall.Deadline()
	var last *Error
	renewed, doubt := false, false
	carries := r.reads()
	c.retries.asked()
	attempts := 0
	defer func() {
		if r.span != nil {
			r.span.SetAttribute("authz.attempts", attempts)
		}
	}()
	for retry := 0; ; {
		credential, err := c.credential(overall, r)
		if err != nil {
			return nil, c.given(ctx, overall, r, last, err)
		}
		if overall.Err() != nil {
			return nil, noted(r, doubt, c.ended(ctx, r, last))
		}
		// The time of an attempt begins when it is sent, and not while it waits in line.
		if c.slots.take(overall) != nil {
			return nil, noted(r, doubt, c.ended(ctx, r, last))
		}
		attempts++
		carried := ""
		if carries {
			carried = c.newest.carried()
		}
		came, failed := c.attempt(overall, r, o, credential.header, carried)
		c.slots.free()
		if failed == nil {
			c.newest.saw(came.revision())
			return came, nil
		}
		if carried != "" && c.newest.isRefused(carried, failed.err) {
			carries = false
			continue
		}
		last = redacted(failed.err, c.secrets(r), c.authorization)
		doubt = doubt || failed.state == unclear
		if overall.Err() != nil && failed.err.Status == 0 {
			return nil, noted(r, doubt, c.ended(ctx, r, nil))
		}
		if failed.err.Status == http.StatusUnauthorized && credential.reused && !renewed {
			renewed = true
			c.authorization.discard(credential.header)
			continue
		}
		wait := backoff(r.profile.backoff, retry)
		if failed.wait > wait {
			wait = failed.wait
		}
		repeatable := failed.state == unprocessed || failed.state == unclear && !r.once
		if retry >= r.profile.retries || !repeatable || time.Until(deadline) <= wait || !c.retries.take() {
			return nil, noted(r, doubt, last)
		}
		if pause(overall, wait) != nil {
			return nil, noted(r, doubt, c.ended(ctx, r, last))
		}
		retry++
	}
}

// date lets a request ask about the client's moment. The past takes no writes.
func (c *Client) date(r *request) error {
	if c.at == "" || r.anonymous {
		return nil
	}
	if !r.reads() {
		return failure(CodeInvalidRequest, "This client asks about the past, %q: write with a client without WithAt.", c.at)
	}
	if r.past {
		separator := "?"
		if strings.Contains(r.target, "?") {
			separator = "&"
		}
		r.target += separator + "at=" + url.QueryEscape(c.at)
	}
	return nil
}

// secrets are what no error of a request may repeat, besides the credential.
func (c *Client) secrets(r request) []string {
	return append(append([]string{}, r.secrets...), c.callers.secrets()...)
}

func (c *Client) credential(ctx context.Context, r request) (credential, error) {
	if c.authorization == nil || r.anonymous {
		return credential{}, nil
	}
	return c.authorization.get(ctx)
}

// given is the error for a credential that could not be obtained, or for the deadline that passed meanwhile.
func (c *Client) given(ctx, overall context.Context, r request, last *Error, err error) error {
	if overall.Err() != nil {
		return c.ended(ctx, r, last)
	}
	return redacted(asError(err), c.secrets(r), c.authorization)
}

// ended says why a call had to stop: its deadline, or the context of the caller.
func (c *Client) ended(ctx context.Context, r request, last *Error) *Error {
	before := ""
	if last != nil {
		before = " The last attempt failed: " + last.Detail
	}
	at := r.method + " " + c.address + r.route
	if errors.Is(ctx.Err(), context.Canceled) {
		canceled := failure(CodeCanceled, "%s was given up by its caller.%s", at, before)
		canceled.cause = context.Canceled
		return canceled
	}
	timeout := failure(CodeTimeout, "%s had no answer within %s, the deadline of %s.%s", at, r.profile.total, r.profile.what, before)
	if ctx.Err() != nil {
		timeout.Detail = fmt.Sprintf("%s had no answer before the deadline of the caller's context.%s", at, before)
	}
	timeout.cause = context.DeadlineExceeded
	return timeout
}

func (c *Client) attempt(ctx context.Context, r request, o *callOptions, authorization, minRevision string) (*answer, *fault) {
	ctx, cancel := context.WithTimeout(ctx, r.profile.attempt)
	defer cancel()
	var taken step
	sent, err := http.NewRequestWithContext(taken.trace(ctx), r.method, r.target, bytes.NewReader(r.body))
	if err != nil {
		return nil, &fault{err: failure(CodeInvalidRequest, "The request cannot be made: %s.", err)}
	}
	for name, values := range c.callers.headers() {
		sent.Header[name] = values
	}
	if r.body != nil {
		sent.Header.Set("Content-Type", r.contentType)
	}
	for name, values := range r.header {
		sent.Header[name] = values
	}
	sent.Header.Set("Accept", "application/json, application/problem+json")
	sent.Header.Set("User-Agent", c.userAgent)
	if authorization != "" {
		sent.Header.Set("Authorization", authorization)
	}
	if minRevision != "" {
		sent.Header.Set("Service-Min-Revision", minRevision)
	}
	if c.maxAge != "" && !r.anonymous && r.reads() {
		sent.Header.Set("Service-Max-Age", c.maxAge)
	}
	id := o.requestID
	if id == "" {
		id = newRequestID()
	}
	sent.Header.Set("X-Request-Id", id)
	response, err := c.http.Do(sent)
	if err != nil {
		return nil, c.connectionFault(ctx, r, err)
	}
	if failed := c.outOfStep(response, r, id, &taken); failed != nil {
		response.Body.Close()
		c.http.CloseIdleConnections()
		return nil, failed
	}
	body, err := readAll(response, r.profile.maxBytes)
	if errors.Is(err, errTooLong) {
		at := r.method + " " + c.address + r.route
		return nil, &fault{err: failure(CodeNetwork, "%s answered with more than %d bytes: it is not read further.", at, r.profile.maxBytes)}
	}
	if err != nil {
		return nil, c.connectionFault(ctx, r, err)
	}
	came := &answer{response.StatusCode, response.Header, body}
	if r.answeredBy == nil && came.status == http.StatusOK || r.answeredBy != nil && r.answeredBy(came.status) {
		return came, nil
	}
	problem, known := c.problemOf(came, r)
	became := stateOf(came.status)
	if came.status == http.StatusServiceUnavailable && !known {
		// A proxy also answers 503 if its connection to the service broke midway.
		became = unclear
	}
	return nil, &fault{problem, became, retryAfter(came.header.Get("Retry-After"), time.Now())}
}

// success is what management calls are answered by.
func success(status int) bool { return status >= 200 && status < 300 }

// outOfStep says why an answer is not the one to this request; nil if nothing speaks against it. Its body is not read, which
// might never end after 101; and its connection is not used again.
func (c *Client) outOfStep(response *http.Response, r request, id string, taken *step) *fault {
	at := r.method + " " + c.address + r.route
	if response.StatusCode < 200 {
		failed := failure(CodeNetwork, "%s answered %d, which is no answer to it.", at, response.StatusCode)
		failed.Status = response.StatusCode
		return &fault{err: failed}
	}
	if response.ProtoMajor == 1 && taken.tooEarly.Load() {
		failed := failure(CodeNetwork, "%s was answered before it was asked: the answer to another request is not used.", at)
		return &fault{err: failed, state: unclear}
	}
	// Not every decision point names the request.
	if named := response.Header.Values("X-Request-Id"); len(named) > 0 && (len(named) > 1 || named[0] != id) {
		failed := failure(CodeNetwork, "%s was answered, but the answer names another request in X-Request-ID: it is not used. "+
			"Does a proxy on the way change that header?", at)
		return &fault{err: failed, state: unclear}
	}
	return nil
}

func newRequestID() string {
	var bytes [16]byte
	_, _ = rand.Read(bytes[:])
	return hex.EncodeToString(bytes[:])
}

// connectionFault says what an error of net/http means. It leaves the address out, since a path may name a person.
func (c *Client) connectionFault(ctx context.Context, r request, err error) *fault {
	var located *url.Error
	if errors.As(err, &located) {
		err = located.Err
	}
	at := r.method + " " + c.address + r.route
	var slow net.Error
	if ctx.Err() != nil || errors.As(err, &slow) && slow.Timeout() {
		timeout := failure(CodeTimeout, "%s had no answer within %s, the time of one attempt.", at, r.profile.attempt)
		timeout.cause = context.DeadlineExceeded
		return &fault{err: timeout, state: unclear}
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		failed := failure(CodeNetwork, "%s cannot be reached: %s. Is the service running there?", c.address, dial.Err)
		failed.cause = err
		return &fault{err: failed, state: unprocessed}
	}
	failed := failure(CodeNetwork, "%s failed: %s.", at, err)
	failed.cause = err
	if lasting(err) {
		return &fault{err: failed}
	}
	return &fault{err: failed, state: unclear}
}

func noted(r request, doubt bool, err *Error) *Error {
	if !r.once || !doubt {
		return err
	}
	copied := *err
	copied.Detail += unclearNote
	return &copied
}

func quoted(revision int64) string { return `"` + strconv.FormatInt(revision, 10) + `"` }

func headerSafe(text string) bool {
	if text == "" || len(text) > 256 {
		return false
	}
	for _, letter := range []byte(text) {
		if letter < 0x21 || letter > 0x7e {
			return false
		}
	}
	return true
}
