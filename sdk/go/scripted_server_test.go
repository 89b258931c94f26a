package authz

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// entry is what the server expects of one request, and how it replies.
type entry struct {
	Expect struct {
		Method  string             `json:"method"`
		Path    string             `json:"path"`
		Headers map[string]*string `json:"headers"`
		Body    json.RawMessage    `json:"body"`
		Form    map[string]string  `json:"form"`
	} `json:"expect"`
	Reply struct {
		Status  any               `json:"status"`
		Headers map[string]string `json:"headers"`
		JSON    json.RawMessage   `json:"json"`
		Text    string            `json:"text"`
		Fault   string            `json:"fault"`
		DelayMs int               `json:"delayMs"`
		Interim []int             `json:"interim"`
		After   string            `json:"after"`
	} `json:"reply"`
}

// scriptedServer speaks HTTP by hand, so that it can break off anywhere.
type scriptedServer struct {
	t        *testing.T
	listener net.Listener
	base     string
	over     chan struct{}
	busy     sync.WaitGroup

	mutex  sync.Mutex
	script []entry
}

func startScripted(t *testing.T, script []entry, network, address string) *scriptedServer {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	server := &scriptedServer{
		t: t, listener: listener, base: map[string]string{"tcp": "http://", "unix": "unix://"}[network] + listener.Addr().String(), over: make(chan struct{}), script: script,
	}
	server.busy.Add(1)
	go func() {
		defer server.busy.Done()
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			server.busy.Add(1)
			go server.serve(connection)
		}
	}()
	return server
}

// end closes all connections, and tells of entries that no request came for.
func (s *scriptedServer) end() {
	close(s.over)
	s.listener.Close()
	s.busy.Wait()
	if left := len(s.script); left > 0 {
		s.t.Errorf("%d requests of the script were not made", left)
	}
}

func (s *scriptedServer) serve(connection net.Conn) {
	defer s.busy.Done()
	served := make(chan struct{})
	defer close(served)
	go func() {
		select {
		case <-s.over:
		case <-served:
		}
		connection.Close()
	}()
	reader := bufio.NewReader(connection)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		// net/http takes it out of the headers.
		request.Header.Set("Host", request.Host)
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		s.mutex.Lock()
		if len(s.script) == 0 {
			s.mutex.Unlock()
			s.t.Errorf("a request too many: %s %s", request.Method, request.RequestURI)
			return
		}
		next := s.script[0]
		s.script = s.script[1:]
		s.mutex.Unlock()
		s.check(next, request, body)
		if !s.reply(connection, next, request.Header.Get("X-Request-Id")) {
			return
		}
	}
}

func (s *scriptedServer) check(next entry, request *http.Request, body []byte) {
	expect := next.Expect
	if request.Method != expect.Method || request.RequestURI != expect.Path {
		s.t.Errorf("got %s %s, want %s %s", request.Method, request.RequestURI, expect.Method, expect.Path)
	}
	for name, want := range expect.Headers {
		switch got := request.Header.Values(name); {
		case want == nil && len(got) > 0:
			s.t.Errorf("the header %s is %q, want none", name, got)
		case want != nil && (len(got) != 1 || got[0] != *want):
			s.t.Errorf("the header %s is %q, want %q", name, got, *want)
		}
	}
	if expect.Body != nil && !sameJSON(s.t, body, expect.Body) {
		s.t.Errorf("the body is %s, want %s", body, expect.Body)
	}
	if expect.Form != nil {
		form, err := url.ParseQuery(string(body))
		want := url.Values{}
		for name, value := range expect.Form {
			want.Set(name, value)
		}
		if err != nil || !reflect.DeepEqual(form, want) {
			s.t.Errorf("the form is %s, want %s", body, want.Encode())
		}
	}
}

// reply is false where the connection is at its end.
func (s *scriptedServer) reply(connection net.Conn, next entry, requestID string) bool {
	reply := next.Reply
	if reply.DelayMs > 0 {
		select {
		case <-time.After(time.Duration(reply.DelayMs) * time.Millisecond):
		case <-s.over:
		}
	}
	switch reply.Fault {
	case "":
	case "reset":
		if tcp, ok := connection.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		return false
	case "half":
		fmt.Fprint(connection, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"decision\": true")
		return false
	case "garbage":
		fmt.Fprint(connection, "\x00\x01\x02 this is not HTTP\r\n\r\n")
		return false
	case "silent":
		<-s.over
		return false
	case "slowHeader":
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		fmt.Fprint(connection, "HTTP/1.1 200 OK\r\nx-slow: ")
		for {
			select {
			case <-tick.C:
				if _, err := fmt.Fprint(connection, "x"); err != nil {
					return false
				}
			case <-s.over:
				return false
			}
		}
	default:
		s.t.Errorf("the runner does not know the fault %q", reply.Fault)
		return false
	}
	body := reply.Text
	if reply.JSON != nil {
		body = strings.ReplaceAll(string(reply.JSON), "BASE", s.base)
	}
	var head strings.Builder
	for _, status := range reply.Interim {
		fmt.Fprintf(connection, "HTTP/1.1 %d Interim\r\nlink: </x>\r\n\r\n", status)
	}
	fmt.Fprintf(&head, "HTTP/1.1 %v Scripted\r\ncontent-length: %d\r\n", reply.Status, len(body))
	for name, value := range reply.Headers {
		fmt.Fprintf(&head, "%s: %s\r\n", name, strings.ReplaceAll(value, "REQUEST_ID", requestID))
	}
	_, err := fmt.Fprintf(connection, "%s\r\n%s%s", head.String(), body, reply.After)
	return err == nil
}

func sameJSON(t *testing.T, got, want []byte) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		return false
	}
	if err := json.Unmarshal(want, &b); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(a, b)
}
