package authz

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	// After a failed early renewal, the next one waits at least this long.
	renewalPause = 5 * time.Second
	// A service without a token endpoint is treated for this long as one that needs no token.
	tokenless = 60 * time.Second
)

// authorization provides the credential of calls.
type authorization interface {
	get(ctx context.Context) (credential, error)
	// discard forgets a credential that the service refused.
	discard(header string)
	secrets() []string
}

type credential struct {
	// header is the value of Authorization; empty for none.
	header string
	// reused: it was used before, so it may have expired in the meantime.
	reused bool
}

// apiKey gives the key. It is a function, so that nothing that prints a client prints the key.
type apiKey func() string

func newAPIKey(key string) (authorization, error) {
	if !bearerSafe(key) {
		return nil, failure(CodeInvalidConfig, "The API key is empty or holds characters that no key has: give it as it was issued.")
	}
	return apiKey(func() string { return key }), nil
}

func (k apiKey) get(context.Context) (credential, error) {
	return credential{header: "Bearer " + k()}, nil
}
func (k apiKey) discard(string)    {}
func (k apiKey) secrets() []string { return []string{k()} }

// tokenSource fetches access tokens by the client-credentials grant (RFC 6749 section 4.4), shared by all calls: one
// request for a token is under way at a time, whoever gives up waiting for it.
type tokenSource struct {
	client   *Client
	clientID string
	// secret is a function for the same reason as apiKey.
	secret func() string
	now    func() time.Time

	mutex   sync.Mutex
	token   *token
	refresh *refresh
}

type token struct {
	// header is empty where the service takes no tokens.
	header, secret string
	// From renewAt on a new one is fetched while this one still serves.
	renewAt, expiresAt time.Time
}

// refresh is a token request under way.
type refresh struct {
	done  chan struct{}
	token *token
	err   error
}

func newTokenSource(client *Client, clientID, secret string) *tokenSource {
	return &tokenSource{client: client, clientID: clientID, secret: func() string { return secret }, now: time.Now}
}

func (s *tokenSource) get(ctx context.Context) (credential, error) {
	s.mutex.Lock()
	now := s.now()
	if held := s.token; held != nil && now.Before(held.expiresAt) {
		header := held.header
		if !now.Before(held.renewAt) {
			held.renewAt = now.Add(renewalPause)
			s.refreshing()
		}
		s.mutex.Unlock()
		return credential{header, true}, nil
	}
	running := s.refreshing()
	s.mutex.Unlock()
	select {
	case <-running.done:
		if running.err != nil {
			return credential{}, running.err
		}
		return credential{running.token.header, false}, nil
	case <-ctx.Done():
		return credential{}, ctx.Err()
	}
}

// refreshing returns the token request under way, or starts one. The caller holds the mutex.
func (s *tokenSource) refreshing() *refresh {
	if s.refresh != nil {
		return s.refresh
	}
	running := &refresh{done: make(chan struct{})}
	s.refresh = running
	go func() {
		fetched, err := s.fetch()
		s.mutex.Lock()
		defer s.mutex.Unlock()
		running.token, running.err = fetched, err
		if err == nil {
			s.token = fetched
		}
		s.refresh = nil
		close(running.done)
	}()
	return running
}

// fetch outlives the call that started it, since others wait for it, too. It ends by the client's own deadline, or by
// Close.
func (s *tokenSource) fetch() (*token, error) {
	started := s.now()
	r := request{
		method:      http.MethodPost,
		route:       "/oauth/token",
		target:      s.client.root + "/oauth/token",
		header:      http.Header{"Authorization": {basic(s.clientID, s.secret())}},
		body:        []byte("grant_type=client_credentials"),
		contentType: "application/x-www-form-urlencoded",
		profile:     s.client.management,
		anonymous:   true,
	}
	came, err := s.client.send(s.client.life, r, &callOptions{})
	if err != nil {
		if asError(err).Status == http.StatusNotFound {
			again := started.Add(tokenless)
			return &token{renewAt: again, expiresAt: again}, nil
		}
		return nil, err
	}
	var body struct {
		AccessToken string  `json:"access_token"`
		ExpiresIn   float64 `json:"expires_in"`
	}
	if err := s.client.decode(came, r, &body); err != nil {
		return nil, err
	}
	if !bearerSafe(body.AccessToken) {
		return nil, failure(CodeNetwork, "POST %s/oauth/token answered without an access token that can be sent: that is not the service.", s.client.address)
	}
	life := time.Minute
	if body.ExpiresIn > 0 && body.ExpiresIn < 1e9 {
		life = time.Duration(body.ExpiresIn * float64(time.Second))
	}
	early := life / 10
	if early > time.Minute {
		early = time.Minute
	}
	return &token{
		header:    "Bearer " + body.AccessToken,
		secret:    body.AccessToken,
		renewAt:   started.Add(life - early),
		expiresAt: started.Add(life),
	}, nil
}

func (s *tokenSource) discard(header string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.token != nil && s.token.header == header {
		s.token = nil
	}
}

func (s *tokenSource) secrets() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known := []string{strings.TrimPrefix(basic(s.clientID, s.secret()), "Basic "), s.secret()}
	if s.token != nil {
		known = append(known, s.token.secret)
	}
	return known
}

// basic is HTTP Basic with both parts form-encoded first (RFC 6749 section 2.3.1).
func basic(clientID, secret string) string {
	pair := url.QueryEscape(clientID) + ":" + url.QueryEscape(secret)
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
}

func bearerSafe(text string) bool {
	for _, letter := range []byte(text) {
		if letter < 0x21 || letter > 0x7e {
			return false
		}
	}
	return text != ""
}
