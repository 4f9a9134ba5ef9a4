package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// The time limits of one step.
const (
	stepLimit    = 15 * time.Second
	readLimit    = 8 * time.Second  // for the events of a watch-read
	untilLimit   = 10 * time.Second // for a condition to come true
	untilPause   = 100 * time.Millisecond
	compactLimit = 90 * time.Second
	bodyLimit    = 2 << 20
)

// A Server is the server that a scenario is replayed against.
type Server struct {
	URL string // without a slash at the end
	// Token is that of an administrator. Empty: the server does not authenticate.
	Token string
	// Compact makes the server compact its whole history. Scenarios with a compact step fail without
	// it.
	Compact func(context.Context, *http.Client) error
	// Log gets a line for each step, with the time it took; may be nil.
	Log func(format string, args ...any)
}

// Replay performs the steps of s and returns every difference from the recording. The scenario ends
// early at a step without an answer, without a value to capture, or with too few or too many
// events; the steps until then are still compared.
func Replay(ctx context.Context, s *Scenario, server Server) []Difference {
	c := newConversation(s, server)
	defer c.close()
	for _, path := range s.Sweep {
		c.sweep(ctx, path)
	}
	for i, st := range s.Steps {
		start := time.Now()
		limit := stepLimit
		if st.Do == doCompact {
			limit = compactLimit
		}
		bound, cancel := context.WithTimeout(ctx, limit)
		out, err := c.step(bound, st)
		cancel()
		c.log("%s %s: %d ms", st.Do, st.ID, time.Since(start).Milliseconds())
		if out != nil {
			c.outcomes = append(c.outcomes, *out)
		}
		if err != nil {
			return append(Compare(s, c.outcomes),
				Difference{Step: st.ID, Note: fmt.Sprintf("%v (step %d of %d, the last one performed)", err, i+1, len(s.Steps))})
		}
	}
	return Compare(s, c.outcomes)
}

// namespaceOf returns a namespace for this run of the scenario.
func namespaceOf(s *Scenario) (recorded, live string) {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	recorded = "conf-" + s.Name
	live = recorded + "-x"
	for range 3 {
		live += string(letters[rand.IntN(len(letters))])
	}
	return recorded, live
}
