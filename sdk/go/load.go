package authz

import (
	"context"
	"math"
	"sync"
	"time"
)

// atOnce is how many attempts of a client run at once; the others wait in line within their deadlines.
const atOnce = 64

// slots lets so many run at once as it has room for.
type slots chan struct{}

func (s slots) take(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slots) free() { <-s }

// savedRetries is the most retries that a client saves up.
const savedRetries = 10

// retryBudget is how many retries a client may make: a tenth of its calls, and ten more. Where a service fails under load,
// retries of every call would double the load.
type retryBudget struct {
	mutex sync.Mutex
	spent float64
}

func (b *retryBudget) asked() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.spent = math.Max(0, b.spent-0.1)
}

func (b *retryBudget) take() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.spent > savedRetries-1 {
		return false
	}
	b.spent++
	return true
}

// triedAgain: so long after a refusal, a larger size is tried, since other questions may be asked by then, or the server has
// changed.
const triedAgain = time.Minute

// batchSize is how large a batch may be: as large as is allowed, until one is refused; then by halves between what was taken
// and refused.
type batchSize struct {
	mutex     sync.Mutex
	most      float64
	taken     float64
	refused   float64
	refusedAt time.Time
}

func newBatchSize(most float64) *batchSize {
	return &batchSize{most: most, refused: math.Inf(1)}
}

func (s *batchSize) limit() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if time.Since(s.refusedAt) > triedAgain {
		s.refused *= 2
		s.refusedAt = time.Now()
	}
	limit := math.Min(s.most, math.Floor((s.taken+s.refused)/2))
	return int(math.Max(1, math.Min(limit, math.MaxInt32)))
}

func (s *batchSize) took(size int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if float64(size) < s.refused {
		s.taken = math.Max(s.taken, float64(size))
	}
}

func (s *batchSize) refuse(size int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.refused = math.Min(s.refused, float64(size))
	s.refusedAt = time.Now()
	if s.taken >= s.refused {
		s.taken = 0
	}
}
