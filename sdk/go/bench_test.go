package authz

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sort"
	"testing"
	"time"
)

// Benchmarks that `npm run bench -- sdk` runs against an agent.

// BenchmarkDecide compares a decision through the SDK with a bare call that encodes and decodes the same JSON, over one
// connection each, in turns. The ratio is what counts.
func BenchmarkDecide(b *testing.B) {
	client := live(b, "AUTHZ_LIVE_AGENT")
	plain := &http.Client{Transport: &http.Transport{}}
	defer plain.CloseIdleConnections()
	ctx := context.Background()
	bare := func() error {
		body, err := json.Marshal(&mayAliceRead)
		if err != nil {
			return err
		}
		response, err := plain.Post(client.address+evaluationPath, "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		var decided struct {
			Decision bool `json:"decision"`
			Context  struct {
				Reason     string `json:"reason"`
				PolicyID   string `json:"policy_id"`
				AccessPath string `json:"access_path"`
			} `json:"context"`
		}
		if err := json.Unmarshal(text, &decided); err != nil {
			return err
		}
		if !decided.Decision {
			return errors.New("denied")
		}
		return nil
	}
	through := func() error {
		decision, err := client.Decide(ctx, mayAliceRead)
		if err == nil && !decision.Allowed {
			err = errors.New("denied")
		}
		return err
	}
	inTurns(b, "over-bare", through, bare)
}

// BenchmarkTogether compares 100 callers who ask ten times, one after the other, and are not joined, with 100 who are.
func BenchmarkTogether(b *testing.B) {
	asked := func(client *Client) func() error {
		return func() error {
			failed := make(chan error, 100)
			for caller := 0; caller < cap(failed); caller++ {
				go func() {
					var err error
					for i := 0; i < 10 && err == nil; i++ {
						var decision Decision
						if decision, err = client.Decide(context.Background(), mayAliceRead); err == nil && !decision.Allowed {
							err = errors.New("denied")
						}
					}
					failed <- err
				}()
			}
			var err error
			for caller := 0; caller < cap(failed); caller++ {
				if one := <-failed; one != nil {
					err = one
				}
			}
			return err
		}
	}
	single, joined := live(b, "AUTHZ_LIVE_AGENT"), live(b, "AUTHZ_LIVE_AGENT", WithBatching(time.Millisecond))
	inTurns(b, "single-over-joined", asked(single), asked(joined))
}

// inTurns reports the median, over all turns, of the time that the first takes over the time that the second takes, so
// that whatever else slows the machine down falls on both.
func inTurns(b *testing.B, unit string, first, second func() error) {
	ratios := make([]float64, 0, b.N)
	for i := 0; i < b.N; i++ {
		var spent [2]time.Duration
		for way, work := range []func() error{first, second} {
			started := time.Now()
			if err := work(); err != nil {
				b.Fatal(err)
			}
			spent[way] = time.Since(started)
		}
		ratios = append(ratios, float64(spent[0])/float64(spent[1]))
	}
	sort.Float64s(ratios)
	b.ReportMetric(ratios[len(ratios)/2], unit)
}
