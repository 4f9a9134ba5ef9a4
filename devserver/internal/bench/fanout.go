package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/bench/compare"
	"github.com/tabernetes/tabernetes/devserver/internal/memory"
)

// FanOut measures how events reach many watches of one type, each of which selects some objects: what an event that is
// delivered takes of the server's processors, how long it takes, and what a watch takes of its memory.
type FanOut struct {
	// URL, Token and Process are those of the server. Without a URL one is started.
	URL, Token string
	Process    int
	// Watches is how many are open: half of them select by a label, half by a name. Receivers of them get each write.
	Watches, Receivers int
	// Slow is how many watches there are besides, of all objects, whose clients read nothing.
	Slow int
	// Rate is how many writes are made in a second, for Time.
	Rate int
	Time time.Duration
}

// DefaultFanOut is what is measured beside the rest.
var DefaultFanOut = FanOut{Watches: 10_000, Receivers: 10, Rate: 1000, Time: 5 * time.Second, Process: -1}

const fanOutObjects = "/api/v1/namespaces/default/configmaps"

// Run measures and prints.
func (f FanOut) Run(ctx context.Context, out io.Writer) (err error) {
	if f.URL == "" {
		server, err := Start(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.End()) }()
		f.URL, f.Process = server.URL, server.Process
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 64, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	defer client.CloseIdleConnections()
	objects := f.Watches / f.Receivers
	for i := range objects {
		if err := f.write(ctx, client, http.MethodPost, i); err != nil {
			return err
		}
	}
	// What a write takes when nobody watches.
	begin := memory.ReadProcess(f.Process)
	alone, err := f.writes(ctx, client, objects)
	if err != nil {
		return err
	}
	before := memory.ReadProcess(f.Process)
	quiet := before.Since(begin).Processor.Seconds() / float64(alone)
	r := &arrivals{}
	if err := r.watch(ctx, f, objects); err != nil {
		return err
	}
	closeUnread, err := closing(f.open(ctx, f.Slow, func(int) string { return fanOutObjects + "?watch=1" }))
	if err != nil {
		return err
	}
	defer closeUnread()
	open := memory.ReadProcess(f.Process)
	made, err := f.writes(ctx, client, objects)
	if err != nil {
		return err
	}
	wanted := made * f.Receivers
	for range 500 { // the last ones are on their way
		if int(r.count.Load()) >= wanted {
			break
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	took := memory.ReadProcess(f.Process).Since(open)
	delays := r.all()
	if len(delays) == 0 {
		return errors.New("no event has arrived")
	}
	fmt.Fprintf(out, "%d watches, half of them by a label and half by a name, and %d writes a second (%d made)\n",
		f.Watches, f.Rate, made*int(time.Second)/int(f.Time))
	if f.Slow > 0 {
		fmt.Fprintf(out, "  beside %d watches of all objects whose clients read nothing\n", f.Slow)
	}
	fmt.Fprintf(out, "  %d of %d events arrive, after %v at the median, %v at p99\n", len(delays), wanted,
		round(delays[len(delays)/2]), round(delays[len(delays)*99/100]))
	if took.Known {
		each := (took.Processor.Seconds() - quiet*float64(made)) / float64(len(delays))
		watch := float64(open.Resident-before.Resident) / float64(f.Watches)
		fmt.Fprintf(out, "  of the server's processors an event takes %.1f µs, a write that nobody watches %.0f µs; "+
			"of its memory a watch %.1f KB\n", each*1e6, quiet*1e6, watch/1024)
	}
	if len(delays) != wanted {
		return fmt.Errorf("%d events have arrived, want %d", len(delays), wanted)
	}
	return nil
}

// open opens n watches of paths, as the server's scheme allows.
func (f FanOut) open(ctx context.Context, n int, path func(int) string) ([]io.ReadCloser, error) {
	open := openWatches
	if strings.HasPrefix(f.URL, "https:") {
		open = openStreams
	}
	return open(ctx, n, f.URL, path, f.Token)
}

// round drops digits that mean nothing.
func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// writes changes the objects in turn, at the rate, and returns how many times.
func (f FanOut) writes(ctx context.Context, client *http.Client, objects int) (int, error) {
	const writers = 8
	var made atomic.Int64
	var failed error
	var once sync.Once
	var all sync.WaitGroup
	begin := time.Now()
	for range writers {
		all.Go(func() {
			for {
				n := made.Add(1) - 1
				due := begin.Add(time.Duration(n) * time.Second / time.Duration(f.Rate))
				err := pause(ctx, time.Until(due))
				if time.Since(begin) >= f.Time || err != nil {
					made.Add(-1)
					return
				}
				if err := f.write(ctx, client, http.MethodPut, int(n)%objects); err != nil {
					once.Do(func() { failed = err })
					made.Add(-1)
					return
				}
			}
		})
	}
	all.Wait()
	return int(made.Load()), failed
}

// sent is what stands before the time of a write in its object, and in the events about it.
const sent = `"sent":"`

// write creates or changes an object, which says when.
func (f FanOut) write(ctx context.Context, client *http.Client, method string, i int) error {
	path := fanOutObjects
	if method == http.MethodPut {
		path += fmt.Sprint("/o-", i)
	}
	body := fmt.Sprintf(`{"metadata":{"name":"o-%d","labels":{"of":"o-%d"}},"data":{%s%d","rest":%q}}`, i, i, sent,
		time.Now().UnixNano(), strings.Repeat("x", 500))
	return compare.Server{URL: f.URL, Token: f.Token}.Send(ctx, client, method, path, body)
}

// arrivals are the delays of the events that have arrived.
type arrivals struct {
	count  atomic.Int64
	mu     sync.Mutex
	delays []time.Duration
}

// watch opens the watches, and reads them until ctx ends.
func (r *arrivals) watch(ctx context.Context, f FanOut, objects int) error {
	path := func(i int) string {
		selector := "labelSelector=of%3D"
		if i%2 == 0 {
			selector = "fieldSelector=metadata.name%3D"
		}
		return fmt.Sprintf("%s?watch=1&%so-%d", fanOutObjects, selector, i/f.Receivers%objects)
	}
	streams, err := f.open(ctx, f.Watches, path)
	for _, s := range streams {
		go func() {
			defer s.Close()
			lines := bufio.NewReaderSize(s, 4<<10)
			for {
				line, err := lines.ReadSlice('\n')
				if err != nil {
					return
				}
				r.take(line)
			}
		}()
		context.AfterFunc(ctx, func() { _ = s.Close() }) // nobody reads what is left
	}
	if err != nil {
		return err
	}
	// The objects that there are come first.
	for range 3000 {
		if int(r.count.Load()) >= f.Watches {
			break
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delays = nil
	r.count.Store(0)
	return nil
}

// take notes the delay of an event, if a line is one.
func (r *arrivals) take(line []byte) {
	_, text, found := bytes.Cut(line, []byte(sent))
	if !found {
		return
	}
	text, _, _ = bytes.Cut(text, []byte(`"`))
	at, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return
	}
	delay := time.Since(time.Unix(0, at))
	r.mu.Lock()
	r.delays = append(r.delays, delay)
	r.mu.Unlock()
	r.count.Add(1)
}

// all returns the delays, the shortest first.
func (r *arrivals) all() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.delays))
}
