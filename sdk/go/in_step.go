package authz

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// watchedConn knows whether anything came since a request was given to it.
type watchedConn struct {
	net.Conn
	came atomic.Bool
}

func (c *watchedConn) Read(bytes []byte) (int, error) {
	n, err := c.Conn.Read(bytes)
	if n > 0 {
		c.came.Store(true)
	}
	return n, err
}

// watch lets a transport make watched connections.
func watch(transport *http.Transport) {
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &watchedConn{Conn: conn}, nil
	}
}

// step says whether the answer to a request of HTTP/1 began before the request was sent: then a server had sent more than was
// asked for, and net/http may take that for the answer.
type step struct {
	conn     atomic.Pointer[watchedConn]
	tooEarly atomic.Bool
}

func (s *step) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			conn := got.Conn
			if secure, ok := conn.(*tls.Conn); ok {
				conn = secure.NetConn()
			}
			watched, _ := conn.(*watchedConn)
			if watched != nil {
				watched.came.Store(false)
			}
			s.conn.Store(watched)
		},
		GotFirstResponseByte: func() {
			if watched := s.conn.Load(); watched != nil {
				s.tooEarly.Store(!watched.came.Load())
			}
		},
	})
}
