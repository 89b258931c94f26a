package authz

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	// ownHeaders are what the client sends itself, or HTTP needs.
	ownHeaders = regexp.MustCompile(`^(authorization|user-agent|x-request-id|service-.*|accept(-encoding)?|connection|content-.*|expect|host|` +
		`idempotency-key|if-.*|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$`)
	headerName  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	headerValue = regexp.MustCompile(`^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$`)
)

// headerOptions set own headers that a caller can set.
var headerOptions = map[string]string{
	"authorization":   "give the credentials as WithAPIKey or WithClientCredentials",
	"user-agent":      "use WithUserAgent",
	"x-request-id":    "give RequestID to the call",
	"service-max-age": "use WithMaxAge",
}

// secretMin is the length from which on the value of a caller's header counts as a secret: no error repeats it.
const secretMin = 8

// WithHeader sends a header with every request, such as a gateway's. Those of the client itself are refused, Authorization
// among them.
func WithHeader(name, value string) Option {
	return func(s *settings) error {
		lower := strings.ToLower(name)
		switch {
		case !headerName.MatchString(name):
			return failure(CodeInvalidConfig, "%q is no name of a header: use letters and \"-\".", name)
		case ownHeaders.MatchString(lower):
			remedy := headerOptions[lower]
			if remedy == "" {
				remedy = "leave it out"
			}
			return failure(CodeInvalidConfig, "The header %q is the client's own: %s.", name, remedy)
		case s.headers.Get(name) != "":
			return failure(CodeInvalidConfig, "The header %q is given twice: give it once.", name)
		case !headerValue.MatchString(value):
			return failure(CodeInvalidConfig, "The value of the header %q is empty or not plain ASCII in one line.", name)
		}
		if s.headers == nil {
			s.headers = http.Header{}
		}
		s.headers.Set(name, value)
		return nil
	}
}

// WithMaxAge limits the age of the knowledge that may answer reads and decisions, in whole seconds (Service-Max-Age). Who knows
// only what is older refuses with the code too_old. Unless given, the decision point's own limits hold alone.
func WithMaxAge(age time.Duration) Option {
	return func(s *settings) error {
		if age < 0 || age%time.Second != 0 || age >= 1e9*time.Second {
			return failure(CodeInvalidConfig, "A maximum age of %s cannot be asked for: give whole seconds, from 0 to 999999999.", age)
		}
		s.maxAge = strconv.FormatInt(int64(age/time.Second), 10)
		return nil
	}
}

// WithAt makes decisions, searches, State and the records answer as of a past revision ("42.9f86d081884c7d65" or "42") or time
// (RFC 3339, or a date). Such a client writes nothing. Cloud only; it needs the scope records:read.
func WithAt(moment string) Option {
	return func(s *settings) error {
		if moment == "" {
			return failure(CodeInvalidConfig, "The moment of WithAt is empty: give a revision or a time, or leave the option out.")
		}
		s.at = moment
		return nil
	}
}

// callers are the headers that go with every request. They are functions, so that nothing that prints a client prints them.
type callers struct {
	headers func() http.Header
	secrets func() []string
}

func callersOf(headers http.Header, secrets []string) callers {
	for _, values := range headers {
		if len(values[0]) >= secretMin {
			secrets = append(secrets, values[0])
		}
	}
	return callers{func() http.Header { return headers }, func() []string { return secrets }}
}
