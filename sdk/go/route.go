package authz

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
)

// route is by which way a client reaches its decision point: directly, by a unix socket, or through a proxy.
type route struct {
	// base is what targets begin with; of a unix socket it is that of localhost.
	base *url.URL
	// address is the base address in texts.
	address string
	// socket is the path of a unix socket, or empty.
	socket string
	proxy  *url.URL
	// authorities are nil for those of the system.
	authorities *x509.CertPool
}

// tunnelTime is how long a proxy may take to open a tunnel where nobody sets a deadline.
const tunnelTime = 10 * time.Second

var unixSocket = regexp.MustCompile(`^unix://(/[^?#]*[^?#/])$`)

func routeOf(base string, proxy *url.URL, authorities *x509.CertPool) (route, error) {
	if strings.HasPrefix(base, "unix:") {
		parts := unixSocket.FindStringSubmatch(base)
		if parts == nil {
			return route{}, failure(CodeInvalidConfig, "%q is no address of a unix socket: write its path, like \"unix:///run/service/agent.sock\".", base)
		}
		if proxy != nil {
			return route{}, failure(CodeInvalidConfig, "A unix socket is reached without a proxy: leave out one of them.")
		}
		return route{base: &url.URL{Scheme: "http", Host: "localhost"}, address: base, socket: parts[1]}, nil
	}
	address, err := baseAddress(base)
	if err != nil {
		return route{}, err
	}
	if isLoopback(address.Hostname()) {
		proxy = nil
	}
	return route{base: address, address: address.String(), proxy: proxy, authorities: authorities}, nil
}

// isLoopback says whether it is one's own machine, to which no proxy leads.
func isLoopback(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || address != nil && address.IsLoopback()
}

// transport keeps as many connections as there are calls at once. It uses no proxy of the environment, which would see the
// questions and the key.
func (r route) transport() http.RoundTripper {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	transport := standard.Clone()
	transport.Proxy = nil
	transport.MaxIdleConns = 512
	transport.MaxIdleConnsPerHost = 512
	transport.IdleConnTimeout = 55 * time.Second
	if r.authorities != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: r.authorities, MinVersion: tls.VersionTLS12}
	}
	var dialer net.Dialer
	switch {
	case r.socket != "":
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", r.socket)
		}
	case r.proxy != nil && r.base.Scheme == "http":
		transport.Proxy = http.ProxyURL(r.proxy)
		transport.DialContext = r.dialProxy
	case r.proxy != nil:
		transport.DialContext = r.dialThrough
	}
	watch(transport)
	return transport
}

func (r route) dialProxy(ctx context.Context, _, _ string) (net.Conn, error) {
	address := r.proxy.Host
	if r.proxy.Port() == "" {
		address = net.JoinHostPort(r.proxy.Hostname(), "80")
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, r.proxyFault(fmt.Sprintf("cannot be reached: %s", err))
	}
	return conn, nil
}

func basicPair(user *url.Userinfo) string {
	password, _ := user.Password()
	return base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
}

// secrets are the password of the proxy, in all forms in which it is sent or given.
func (r route) secrets() []string {
	if r.proxy == nil || r.proxy.User == nil {
		return nil
	}
	secrets := []string{basicPair(r.proxy.User)}
	password, _ := r.proxy.User.Password()
	_, given, _ := strings.Cut(r.proxy.User.String(), ":")
	for _, one := range []string{password, given} {
		if len(one) >= secretMin {
			secrets = append(secrets, one)
		}
	}
	return secrets
}

// dialThrough has the proxy open a tunnel to the target (RFC 9110 section 9.3.6).
func (r route) dialThrough(ctx context.Context, network, target string) (net.Conn, error) {
	conn, err := r.dialProxy(ctx, network, target)
	if err != nil {
		return nil, err
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(tunnelTime)
	}
	_ = conn.SetDeadline(deadline)
	asked := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: http.Header{}}
	if r.proxy.User != nil {
		asked.Header.Set("Proxy-Authorization", "Basic "+basicPair(r.proxy.User))
	}
	var answered *http.Response
	if err = asked.Write(conn); err == nil {
		// A proxy sends nothing behind its answer before the tunnel is used, so the reader keeps nothing back.
		answered, err = http.ReadResponse(bufio.NewReader(conn), asked)
	}
	switch {
	case err != nil:
		err = r.proxyFault(fmt.Sprintf("opened no tunnel: %s", err))
	case answered.StatusCode != http.StatusOK:
		err = r.proxyFault(fmt.Sprintf("answered %d to CONNECT %s", answered.StatusCode, target))
	default:
		_ = conn.SetDeadline(time.Time{})
		return conn, nil
	}
	conn.Close()
	return nil, err
}

// proxyFault is an error before there was a connection to the service. It leaves the proxy's user and password out.
func (r route) proxyFault(why string) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("the proxy %s %s", r.proxy.Host, why)}
}

// WithProxy sends requests through a proxy, "http://proxy.example.com:3128", never those to one's own machine. No proxy of the
// environment is used.
func WithProxy(address string) Option {
	return func(s *settings) error {
		proxy, err := url.Parse(address)
		if err != nil || proxy.Scheme != "http" || proxy.Hostname() == "" || strings.Trim(proxy.Path, "/") != "" || proxy.RawQuery != "" || proxy.Fragment != "" {
			shown := "The proxy"
			if !strings.Contains(address, "@") {
				shown = fmt.Sprintf("The proxy %q", address)
			}
			return failure(CodeInvalidConfig, "%s is no http address of a proxy: write it like \"http://proxy.example.com:3128\".", shown)
		}
		s.proxy = proxy
		return nil
	}
}

// WithCA trusts these certificate authorities instead of the system's: the path of a PEM file, or its text.
func WithCA(pem string) Option {
	return func(s *settings) error {
		text, what := []byte(pem), "The text"
		if !strings.Contains(pem, "-----BEGIN") {
			read, err := os.ReadFile(pem)
			if err != nil {
				return failure(CodeInvalidConfig, "The certificates of WithCA cannot be read: %s.", err)
			}
			text, what = read, fmt.Sprintf("%q", pem)
		}
		s.authorities = x509.NewCertPool()
		if !s.authorities.AppendCertsFromPEM(text) {
			return failure(CodeInvalidConfig, "%s of WithCA (ca) holds no certificates in PEM: give a file that does, or its text.", what)
		}
		return nil
	}
}
