package authz

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
)

// Client asks one decision point. It is safe for concurrent use: make one, keep it, and close it at the end.
type Client struct {
	base *url.URL
	// root is what targets begin with, and address what names them in texts: they differ for unix sockets.
	root          string
	address       string
	callers       callers
	maxAge        string
	at            string
	http          *http.Client
	userAgent     string
	authorization authorization
	decision      profile
	management    profile
	tracer        Tracer
	batcher       *batcher
	slots         slots
	retries       retryBudget
	// newest is nil where no revision is carried along.
	newest *newestRevision
	// batchless: the decision point takes no batches, as its answers have shown.
	batchless atomic.Bool
	// endpoints are those that the decision point's metadata names; nil unless discovered.
	endpoints atomic.Pointer[Metadata]
	// life ends with Close. Work that no single call waits for ends with it.
	life context.Context
	end  context.CancelFunc
}

// New makes a client for a base address, that of the cloud, of an agent or of any other AuthZEN decision point. A unix socket is
// named by its path: "unix:///run/service/agent.sock". It does not connect. The error is an *Error of code invalid_config.
func New(base string, options ...Option) (*Client, error) {
	chosen := defaults()
	for _, option := range options {
		if err := option(&chosen); err != nil {
			return nil, err
		}
	}
	way, err := routeOf(base, chosen.proxy, chosen.authorities)
	if err != nil {
		return nil, err
	}
	if chosen.httpClient != nil && (way.socket != "" || chosen.proxy != nil || chosen.authorities != nil) {
		return nil, failure(CodeInvalidConfig, "An HTTP client of your own makes its own connections: leave out the socket, WithCA and WithProxy.")
	}
	client := &Client{
		base:       way.base,
		root:       way.base.String(),
		address:    way.address,
		callers:    callersOf(chosen.headers, way.secrets()),
		maxAge:     chosen.maxAge,
		at:         chosen.at,
		http:       withoutRedirects(chosen.httpClient, way),
		userAgent:  chosen.userAgent,
		decision:   chosen.decision,
		management: chosen.management,
		tracer:     chosen.tracer,
		slots:      make(slots, atOnce),
	}
	if !chosen.readsAnything && chosen.at == "" {
		client.newest = &newestRevision{}
	}
	switch {
	case chosen.hasKey && chosen.hasClient:
		return nil, failure(CodeInvalidConfig, "There are an API key and client credentials: give one of them.")
	case chosen.hasKey:
		client.authorization, err = newAPIKey(chosen.apiKey)
		if err != nil {
			return nil, err
		}
	case chosen.hasClient:
		client.authorization = newTokenSource(client, chosen.clientID, chosen.clientSecret)
	}
	client.life, client.end = context.WithCancel(context.Background())
	if chosen.batching > 0 {
		client.batcher = newBatcher(client, chosen.batching)
	}
	return client, nil
}

// Close ends idle connections and what is done for several calls together: token requests and joined decisions. Other calls
// that are under way are not disturbed.
func (c *Client) Close() {
	c.end()
	c.http.CloseIdleConnections()
}

// withoutRedirects copies a client, or makes one that takes this way.
func withoutRedirects(given *http.Client, way route) *http.Client {
	own := &http.Client{}
	if given != nil {
		*own = *given
	} else {
		own.Transport = way.transport()
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return own
}

// asError turns any error of this package's calls into an *Error.
func asError(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return &Error{Code: CodeInternal, Detail: err.Error(), cause: err}
}
