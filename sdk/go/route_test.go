package authz

import (
	"bufio"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	transport, ok := withoutRedirects(nil, route{}).Transport.(*http.Transport)
	if !ok || transport.Proxy != nil {
		t.Fatalf("the default transport may send questions and the key through a proxy")
	}
	own := &http.Transport{Proxy: http.ProxyFromEnvironment}
	kept, ok := withoutRedirects(&http.Client{Transport: own}, route{}).Transport.(*http.Transport)
	if !ok || kept.Proxy == nil {
		t.Fatalf("the caller's own client lost its proxy")
	}
}

// startTLS gives a decision point whose certificate is for example.com and 127.0.0.1, and the text of that.
func startTLS(t *testing.T) (*httptest.Server, string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"decision":true}`)
	}))
	t.Cleanup(server.Close)
	return server, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

func allowedAt(t *testing.T, base string, options ...Option) (bool, error) {
	t.Helper()
	client, err := New(base, append(options, WithRetries(0))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	return client.IsAllowed(context.Background(), Question{Subject{Type: "user", ID: "alice"}, Action{Name: "read"}, Resource{Type: "invoice", ID: "INV-1"}, nil})
}

func TestACertificateAuthorityOfOnesOwn(t *testing.T) {
	server, text := startTLS(t)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{text, file} {
		if allowed, err := allowedAt(t, server.URL, WithCA(given)); !allowed || err != nil {
			t.Errorf("it is %t, %v", allowed, err)
		}
	}
	if _, err := allowedAt(t, server.URL); err == nil {
		t.Error("the system trusts it")
	}
	if _, err := New(server.URL, WithCA(text), WithHTTPClient(http.DefaultClient)); err == nil {
		t.Error("an own client and an authority were both taken")
	}
}

// startProxy opens tunnels to one address, whatever it is asked for. The heads of its requests come when it is closed.
func startProxy(t *testing.T, target string) (string, func() []*http.Request) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mutex sync.Mutex
	var heads []*http.Request
	serve := func(conn net.Conn) {
		defer conn.Close()
		head, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		mutex.Lock()
		heads = append(heads, head)
		mutex.Unlock()
		to, err := net.Dial("tcp", target)
		if err != nil {
			return
		}
		defer to.Close()
		fmt.Fprint(conn, "HTTP/1.1 200 Connection established\r\nVia: a proxy\r\n\r\n")
		go func() { _, _ = io.Copy(conn, to) }()
		_, _ = io.Copy(to, conn)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	t.Cleanup(func() { listener.Close() })
	return listener.Addr().String(), func() []*http.Request {
		mutex.Lock()
		defer mutex.Unlock()
		return heads
	}
}

func TestATunnelThroughAProxy(t *testing.T) {
	server, text := startTLS(t)
	proxy, heads := startProxy(t, server.Listener.Addr().String())
	options := []Option{WithCA(text), WithProxy("http://app:pa%20ss@" + proxy), WithAPIKey("svc_test")}
	if allowed, err := allowedAt(t, "https://example.com:8443", options...); !allowed || err != nil {
		t.Fatalf("it is %t, %v", allowed, err)
	}
	if len(heads()) != 1 {
		t.Fatalf("there were %d requests to the proxy", len(heads()))
	}
	head := heads()[0]
	if head.Method != http.MethodConnect || head.Host != "example.com:8443" || head.Header.Get("Authorization") != "" {
		t.Errorf("the proxy was sent %s %s with %v", head.Method, head.Host, head.Header)
	}
	if user, password, ok := (&http.Request{Header: http.Header{"Authorization": head.Header["Proxy-Authorization"]}}).BasicAuth(); !ok || user != "app" || password != "pa ss" {
		t.Errorf("the proxy was told %q, %q", user, password)
	}
	_, err := allowedAt(t, "https://pdp.test", options...)
	if err == nil || strings.Contains(err.Error(), "proxy") {
		t.Errorf("the certificate of another name gave %v", err)
	}
}

func TestOnesOwnMachineIsAskedWithoutTheProxy(t *testing.T) {
	for _, host := range []string{"localhost", "127.0.0.1", "127.9.9.9", "[::1]", "pdp.localhost"} {
		client, err := New("http://"+host+":8181", WithProxy("http://proxy.test:3128"))
		if err != nil {
			t.Fatal(err)
		}
		if transport, ok := client.http.Transport.(*http.Transport); !ok || transport.Proxy != nil {
			t.Errorf("%s would be asked through the proxy", host)
		}
	}
}

func TestNothingThatPrintsAClientPrintsHeadersAndProxies(t *testing.T) {
	client, err := New("http://pdp.test", WithHeader("x-gateway-key", "gateway-key-1"), WithProxy("http://app:pass-word@proxy.test:3128"))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v"} {
		if text := fmt.Sprintf(format, client); strings.Contains(text, "gateway-key-1") || strings.Contains(text, "pass-word") {
			t.Errorf("%s prints %s", format, text)
		}
	}
}
