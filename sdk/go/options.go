package authz

import (
	"crypto/x509"
	"net/http"
	"net/url"
	"time"
)

// Option changes how a client works.
type Option func(*settings) error

type settings struct {
	httpClient   *http.Client
	userAgent    string
	apiKey       string
	clientID     string
	clientSecret string
	hasKey       bool
	hasClient    bool
	decision     profile
	management   profile
	batching     time.Duration
	tracer       Tracer
	// readsAnything: what is read may be older than what was seen or written before.
	readsAnything bool
	headers       http.Header
	// maxAge is the value of Service-Max-Age, or empty.
	maxAge string
	// at is the moment of the past that is asked about, or empty.
	at          string
	proxy       *url.URL
	authorities *x509.CertPool
}

// profile has the deadlines and retries of one kind of calls.
type profile struct {
	// what names the kind in errors.
	what     string
	total    time.Duration
	attempt  time.Duration
	retries  int
	backoff  time.Duration
	maxBytes int64
}

func defaults() settings {
	return settings{
		userAgent:  "authz-service-sdk-go",
		decision:   profile{"a decision", 2 * time.Second, time.Second, 2, 50 * time.Millisecond, 16 << 20},
		management: profile{"a management call", 120 * time.Second, 30 * time.Second, 3, 200 * time.Millisecond, 256 << 20},
	}
}

// WithAPIKey sends an API key with each call.
func WithAPIKey(key string) Option {
	return func(s *settings) error {
		s.apiKey, s.hasKey = key, true
		return nil
	}
}

// WithClientCredentials fetches tokens for an OAuth client, one request at a time, and renews them before they expire. Where
// there is no token endpoint, as at an agent, calls go without.
func WithClientCredentials(clientID, clientSecret string) Option {
	return func(s *settings) error {
		if clientID == "" || clientSecret == "" {
			return failure(CodeInvalidConfig, "The client id or the client secret is empty: give both.")
		}
		s.clientID, s.clientSecret, s.hasClient = clientID, clientSecret, true
		return nil
	}
}

// WithDecisionTimeouts bounds decisions, alone and in batches: with all attempts and waits (2 s unless given), and one
// attempt (1 s).
func WithDecisionTimeouts(total, attempt time.Duration) Option {
	return func(s *settings) error { return s.decision.bound(total, attempt) }
}

// WithManagementTimeouts bounds all other calls: with all attempts and waits (120 s unless given), and one attempt (30 s).
func WithManagementTimeouts(total, attempt time.Duration) Option {
	return func(s *settings) error { return s.management.bound(total, attempt) }
}

func (p *profile) bound(total, attempt time.Duration) error {
	if total <= 0 || attempt <= 0 {
		return failure(CodeInvalidConfig, "The timeouts of %s are %s and %s: give longer ones than zero.", p.what, total, attempt)
	}
	p.total, p.attempt = total, attempt
	return nil
}

// WithRetries says how often a failed attempt is repeated where that is safe. Unless given, it is 2 times for decisions
// and 3 times for other calls, not counting the first attempt.
func WithRetries(retries int) Option {
	return func(s *settings) error {
		if retries < 0 {
			return failure(CodeInvalidConfig, "There cannot be %d retries: give 0 or more.", retries)
		}
		s.decision.retries, s.management.retries = retries, retries
		return nil
	}
}

// WithHTTPClient sends requests through this client. The client is copied, and the copy follows no redirect, which
// would send the credential elsewhere.
func WithHTTPClient(client *http.Client) Option {
	return func(s *settings) error {
		if client == nil {
			return failure(CodeInvalidConfig, "The HTTP client is nil: give one, or leave the option out.")
		}
		s.httpClient = client
		return nil
	}
}

// WithUserAgent names the application in the User-Agent header.
func WithUserAgent(name string) Option {
	return func(s *settings) error {
		if !headerSafe(name) {
			return failure(CodeInvalidConfig, "%q cannot be a User-Agent: use visible ASCII characters.", name)
		}
		s.userAgent = name
		return nil
	}
}

// WithBatching joins decisions that are asked within the window into one request. A millisecond suits most: a lone call
// then waits that much longer. Each call keeps its own deadline. A decision point without batches gets single calls.
func WithBatching(window time.Duration) Option {
	return func(s *settings) error {
		if window <= 0 {
			return failure(CodeInvalidConfig, "The window of batches is %s: give one longer than zero, say 1ms.", window)
		}
		s.batching = window
		return nil
	}
}

// WithoutReadingOwnWrites makes reads and decisions carry no revision. Unless given, they carry the newest revision that the
// client has seen, so that none is answered from before it; a decision point that is behind then waits for it or refuses.
func WithoutReadingOwnWrites() Option {
	return func(s *settings) error {
		s.readsAnything = true
		return nil
	}
}

// WithTracer starts a span for each call.
func WithTracer(tracer Tracer) Option {
	return func(s *settings) error {
		s.tracer = tracer
		return nil
	}
}

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct {
	total          time.Duration
	attempt        time.Duration
	requestID      string
	idempotencyKey string
	match          string
	noneMatch      string
	tenant         string
	stack          string
	pageLimit      *int
	orDeny         bool
	explain        bool
	leftOut        func(LeftOut)
}

func optionsOf(options []CallOption) callOptions {
	var all callOptions
	for _, option := range options {
		option(&all)
	}
	return all
}

// OrDeny makes a denial of what could not be decided: its Decided is false, and its Cause says why.
func OrDeny() CallOption { return func(o *callOptions) { o.orDeny = true } }

// Explain asks for Decision.Explanation.
func Explain() CallOption { return func(o *callOptions) { o.explain = true } }

// Timeout bounds this call with all its attempts and waits.
func Timeout(total time.Duration) CallOption { return func(o *callOptions) { o.total = total } }

// AttemptTimeout bounds each attempt of this call.
func AttemptTimeout(attempt time.Duration) CallOption {
	return func(o *callOptions) { o.attempt = attempt }
}

// RequestID is sent as X-Request-ID, which the service echoes and logs.
func RequestID(id string) CallOption { return func(o *callOptions) { o.requestID = id } }

// PageLimit sets how many results a page holds at most.
func PageLimit(limit int) CallOption { return func(o *callOptions) { o.pageLimit = &limit } }

// IdempotencyKey names a change-set: sent again with the same key and body, it is applied only once.
func IdempotencyKey(key string) CallOption { return func(o *callOptions) { o.idempotencyKey = key } }

// IfMatch changes or removes a record only while its Revision is this one; else ErrPrecondition.
func IfMatch(revision int64) CallOption {
	return func(o *callOptions) { o.match = quoted(revision) }
}

// Stack is the stack that a record is created, updated or deleted for; without one, ownership is not asked for. Limited
// credentials must name it. A change-set has a Stack of its own.
func Stack(name string) CallOption { return func(o *callOptions) { o.stack = name } }

// IfNoneMatch asks for a state or a bundle only if it has another revision than this one; else ErrNotModified.
func IfNoneMatch(revision string) CallOption { return func(o *callOptions) { o.noneMatch = revision } }

// LeftOut is what a page of a search left out because the question says too little, and the attributes that were missing:
// "context.mfa".
type LeftOut struct {
	Count  int
	Absent []string
}

// OnLeftOut is told of each page of a search how much was left out, if the decision point says so.
func OnLeftOut(told func(LeftOut)) CallOption { return func(o *callOptions) { o.leftOut = told } }

// OfTenant asks for the bundle of one tenant, for operators.
func OfTenant(name string) CallOption { return func(o *callOptions) { o.tenant = name } }
