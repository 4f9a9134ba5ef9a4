package compare

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Server is one that runs in a separate process, and was started for this: objects in its namespace
// default are created and deleted.
type Server struct {
	// Name is what a table calls it.
	Name string
	// URL is without a path; a certificate is not checked.
	URL string
	// Token is a bearer token, or empty.
	Token string
}

// clients is how many send requests at once where one does not wait for the other.
const clients = 16

// An effort is how long servers are measured.
type effort struct {
	// stored is how many Pods there are when they are read, of which each hundredth has the label tier=chosen.
	stored int
	// rounds is how often servers take turns at one kind of work. The median counts.
	rounds int
	// turn is about how long one of them works in a round.
	turn time.Duration
}

// A task is one kind of work. do does it for at least a turn, and returns how much was done, in how long.
type task struct {
	name, unit string
	do         func(*remote, context.Context) (done int, took time.Duration, err error)
}

// tasks are made in this order: those that read find what was stored at first.
var tasks = []task{
	{"get, 16 clients", "requests/s", func(s *remote, ctx context.Context) (int, time.Duration, error) {
		return s.many(ctx, func(int) error { return s.send(ctx, http.MethodGet, pods+"/p000000", "") })
	}},
	{"get, one after the other", "requests/s", reads("/p000000")},
	{"list of all, any version", "requests/s", reads("?resourceVersion=0")},
	{"list of all, the latest", "requests/s", reads("")},
	{"page of 500", "requests/s", reads("?limit=500")},
	{"a hundredth by a label", "requests/s", reads("?labelSelector=tier%3Dchosen")},
	{"update that 100 watches receive", "updates/s", (*remote).updateWatched},
	{"create, 16 clients", "requests/s", func(s *remote, ctx context.Context) (int, time.Duration, error) {
		return s.many(ctx, func(n int) error { return s.create(ctx, fmt.Sprint("new-", n), "made") })
	}},
	{"create, one after the other", "requests/s", func(s *remote, ctx context.Context) (int, time.Duration, error) {
		return s.repeat(ctx, func(n int) error { return s.create(ctx, fmt.Sprint("one-", n), "made") })
	}},
	{"deletecollection of 200", "objects/s", (*remote).deleteMany},
}

func reads(path string) func(*remote, context.Context) (int, time.Duration, error) {
	return func(s *remote, ctx context.Context) (int, time.Duration, error) {
		return s.repeat(ctx, func(int) error { return s.send(ctx, http.MethodGet, pods+path, "") })
	}
}

// Servers measures servers in the same run, in turns, and prints for each kind of work how much each of them does in a
// second, and how many times as much the first one does as each other.
func Servers(ctx context.Context, out io.Writer, servers []Server) error {
	return effort{stored: 5000, rounds: 9, turn: 500 * time.Millisecond}.measure(ctx, out, servers)
}

func (e effort) measure(ctx context.Context, out io.Writer, servers []Server) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all []*remote
	for _, server := range servers {
		s := &remote{Server: server, effort: e, client: &http.Client{Transport: &http.Transport{
			MaxIdleConnsPerHost: 2 * clients, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		}}}
		defer s.client.CloseIdleConnections()
		if err := s.fill(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		all = append(all, s)
	}
	for _, t := range tasks {
		rates := make([][]float64, len(all))
		for round := range e.rounds + 1 {
			for turn := range all {
				i := turn
				if round%2 > 0 { // a server works on for a while after its turn, at the cost of the next one
					i = len(all) - 1 - turn
				}
				s := all[i]
				done, took, err := t.do(s, ctx)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.Name, t.name, err)
				}
				if round > 0 { // the first one opens connections
					rates[i] = append(rates[i], float64(done)/took.Seconds())
				}
			}
		}
		first := median(rates[0])
		fmt.Fprintf(out, "%-32s", t.name)
		for i, s := range all {
			rate := median(rates[i])
			fmt.Fprintf(out, "  %s %.*f %s", s.Name, places(rate), rate, t.unit)
			if i > 0 {
				fmt.Fprintf(out, " (%.2f times)", first/rate)
			}
		}
		fmt.Fprintln(out)
	}
	return nil
}

// places returns how many digits after the point a rate is printed with.
func places(rate float64) int {
	if rate < 100 {
		return 1
	}
	return 0
}

// A remote is a server with a client.
type remote struct {
	Server
	effort
	client *http.Client
	made   int // objects, which have different names

	watching bool
	received chan struct{} // one for each event of each watch
}

// send makes a request and reads the whole answer.
func (s *remote) send(ctx context.Context, method, path, body string) error {
	return s.Send(ctx, s.client, method, path, body)
}

// Send makes a request with a body of JSON and reads the whole answer, which is not an error.
func (s Server) Send(ctx context.Context, client *http.Client, method, path, body string) error {
	answer, err := s.Open(ctx, client, method, path, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	_, err = io.Copy(io.Discard, answer)
	return err
}

// Open is Send, but returns the body of the answer.
func (s Server) Open(ctx context.Context, client *http.Client, method, path, body string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	if s.Token != "" {
		r.Header.Set("Authorization", "Bearer "+s.Token)
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		return nil, errors.Join(fmt.Errorf("%s %s: %s %s", method, path, answer.Status, text), err, answer.Body.Close())
	}
	return answer.Body, nil
}

func (s *remote) create(ctx context.Context, name, tier string) error {
	return s.send(ctx, http.MethodPost, pods, strings.Replace(pod(name, ""), "frontend", tier, 1))
}

// fill creates the Pods that are read.
func (s *remote) fill(ctx context.Context) error {
	return s.share(s.stored, func(n int) error {
		return s.send(ctx, http.MethodPost, pods, numbered(n))
	})
}

// share has the clients do n things, and returns the errors.
func (s *remote) share(n int, do func(int) error) error {
	var failed [clients]error
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i := c; i < n && failed[c] == nil; i += clients {
				failed[c] = do(i)
			}
		})
	}
	all.Wait()
	return errors.Join(failed[:]...)
}

// repeat does something again and again, with another number each time.
func (s *remote) repeat(ctx context.Context, do func(int) error) (done int, took time.Duration, err error) {
	for begin := time.Now(); took < s.turn && err == nil; took = time.Since(begin) {
		err = cmp.Or(do(s.made), ctx.Err())
		s.made++
		done++
	}
	return done, took, err
}

// many does the same by the clients at once.
func (s *remote) many(ctx context.Context, do func(int) error) (done int, took time.Duration, err error) {
	for begin := time.Now(); took < s.turn && err == nil; took = time.Since(begin) {
		const batch = 20 * clients
		from := s.made
		s.made += batch
		done += batch
		err = cmp.Or(s.share(batch, func(n int) error { return do(from + n) }), ctx.Err())
	}
	return done, took, err
}

// updateWatched changes a Pod that 100 clients watch, again when all have received it.
func (s *remote) updateWatched(ctx context.Context) (int, time.Duration, error) {
	const watches, path = 100, pods + "/p000001"
	if !s.watching {
		s.watching, s.received = true, make(chan struct{}, watches)
		for range watches {
			body, err := s.Open(ctx, s.client, http.MethodGet, pods+"?watch=1&fieldSelector=metadata.name%3Dp000001", "")
			if err != nil {
				return 0, 0, err
			}
			go s.read(body)
		}
		if err := s.await(ctx, watches); err != nil { // the Pod as it is
			return 0, 0, err
		}
	}
	return s.repeat(ctx, func(n int) error {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"turn":"%d"}}}`, n)
		return cmp.Or(s.send(ctx, http.MethodPatch, path, patch), s.await(ctx, watches))
	})
}

// await waits for as many events.
func (s *remote) await(ctx context.Context, events int) error {
	for range events {
		select {
		case <-s.received:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// read reads a watch until it ends.
func (s *remote) read(body io.ReadCloser) {
	defer body.Close()
	part := make([]byte, 32<<10)
	for {
		n, err := body.Read(part)
		for range bytes.Count(part[:n], []byte("\n")) {
			s.received <- struct{}{}
		}
		if err != nil {
			return
		}
	}
}

// deleteMany creates Pods, and deletes them by one request, which alone counts.
func (s *remote) deleteMany(ctx context.Context) (done int, took time.Duration, err error) {
	const objects = 200
	from := s.made
	s.made += objects
	err = s.share(objects, func(n int) error { return s.create(ctx, fmt.Sprint("all-", from+n), "leaving") })
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	err = s.send(ctx, http.MethodDelete, pods+"?labelSelector=tier%3Dleaving", "")
	return objects, time.Since(begin), err
}
