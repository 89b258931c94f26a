package authz

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const backoffMax = 10 * time.Second

// requestState says what is known about a request that failed.
type requestState int

const (
	// final: it was answered, and another attempt would get the same answer.
	final requestState = iota
	// unprocessed: it certainly did nothing.
	unprocessed
	// unclear: it may have done what it asks for.
	unclear
)

// stateOf judges by status. A gateway's 502 or 504 says nothing of what the service did.
func stateOf(status int) requestState {
	switch status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return unprocessed
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return unclear
	}
	return final
}

// backoff is the wait before another attempt: exponential with full jitter. retry counts from 0.
func backoff(base time.Duration, retry int) time.Duration {
	longest := backoffMax
	if retry < 16 && base<<retry < backoffMax {
		longest = base << retry
	}
	return time.Duration(random() * float64(longest))
}

// random is in [0, 1). Before Go 1.20 the global source of math/rand gives the same numbers in each process, so that a
// fleet would retry in step.
func random() float64 {
	var bytes [8]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		return 0.5
	}
	return float64(binary.LittleEndian.Uint64(bytes[:])>>11) / (1 << 53)
}

// retryAfter reads a Retry-After header (RFC 9110 section 10.2.3); 0 where there is none to go by.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if header == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// pause waits, or gives the context's error as soon as it ends.
func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
