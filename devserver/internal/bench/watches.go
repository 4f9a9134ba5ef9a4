package bench

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/memory"
)

// Bounds of an idle watch over plain HTTP/1.1.
const (
	// mostWatch is how many bytes of the heap and of stacks it may take, with its connection.
	mostWatch = 16 << 10
	// mostLeft is how much of the memory before the process may take a minute after all are closed, and how much the
	// server's objects, beyond the descriptors that Go never gives back.
	mostLeft = 1.1
)

// A watchKind is a way in which watches are open.
type watchKind struct {
	name    string
	flags   []string
	room    bool
	bounded bool
	// dial opens n watches, which close ends.
	dial func(ctx context.Context, n int, url, path, token string) (closeAll func(), err error)
}

var watchKinds = []watchKind{
	{name: "HTTP/1.1", bounded: true, dial: dialWatches},
	{name: "HTTP/1.1, in a room", flags: []string{"--rooms"}, room: true, bounded: true, dial: dialWatches},
	{name: "HTTP/1.1 over TLS", flags: []string{"--tls"}, dial: dialWatches},
	{name: "HTTP/2 over TLS, 100 for a connection", flags: []string{"--tls"}, dial: streamWatches},
}

// WatchCount is how many watches are open by default.
const WatchCount = 5000

// Watches measures n idle watches of each kind, in its own server.
func Watches(ctx context.Context, out io.Writer, n int) error {
	descriptor := memory.MeasureDescriptor()
	fmt.Fprintf(out, "%d idle watches; Go keeps %.0f bytes of each goroutine\n", n, descriptor)
	var missed error
	for _, k := range watchKinds {
		if err := k.measure(ctx, out, n, descriptor); err != nil {
			missed = errors.Join(missed, fmt.Errorf("%s: %w", k.name, err))
		}
	}
	return missed
}

// measure prints what n watches take, and, for a kind that is bounded, what is left of that a minute after they are
// closed: once for a server that has just started, and again, when Go has what it keeps.
func (k watchKind) measure(ctx context.Context, out io.Writer, n int, descriptor float64) (err error) {
	server, err := Start(ctx, append([]string{"--report-memory"}, k.flags...)...)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, server.End()) }()
	url := server.URL
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	path, token := "", ""
	if k.room {
		if path, token, err = openWide(ctx, client, url); err != nil {
			return err
		}
	}
	path += "/api/v1/namespaces/default/configmaps?watch=1&allowWatchBookmarks=true&resourceVersion=1"
	// What is made once is made now, and memory given back, for which these are enough.
	warm, err := k.dial(ctx, min(n, 200), url, path, token)
	if err != nil {
		return err
	}
	warm()
	if k.bounded {
		if err := pause(ctx, time.Minute); err != nil {
			return err
		}
	}
	name := k.name
	for range 2 {
		var before, open, after memory.Usage
		if err = readMemory(ctx, client, url, &before); err != nil {
			return err
		}
		closeAll, err := k.dial(ctx, n, url, path, token)
		if err != nil {
			return err
		}
		if err = readMemory(ctx, client, url, &open); err != nil {
			return err
		}
		closeAll()
		each := func(open, before uint64) float64 { return (float64(open) - float64(before)) / float64(n) }
		heap, stacks := each(open.Heap, before.Heap), each(open.Stacks, before.Stacks)
		fmt.Fprintf(out, "  %-36s %5.1f KB each: heap %.1f, stacks %.1f", name, (heap+stacks)/1024, heap/1024, stacks/1024)
		if !k.bounded {
			fmt.Fprintln(out)
			return nil
		}
		if err := pause(ctx, time.Minute); err != nil {
			return err
		}
		if err = readMemory(ctx, client, url, &after); err != nil {
			return err
		}
		const mib = 1 << 20
		fmt.Fprintf(out, "; the process %d MiB before, %d open, %d a minute after\n", before.Resident/mib, open.Resident/mib,
			after.Resident/mib)
		goroutines, connections := after.KeptBy(open, before, descriptor)
		left := (float64(after.Resident) - goroutines - connections) / float64(before.Resident-before.File+after.File)
		own := (float64(after.Live) - goroutines) / float64(before.Live)
		fmt.Fprintf(out, "%40s Go keeps %.1f MiB for goroutines, %.1f for connections; the rest of the process is %.2f of "+
			"what it was, the server's objects %.2f\n", "", goroutines/mib, connections/mib, left, own)
		switch {
		case heap+stacks > mostWatch:
			return fmt.Errorf("a watch takes %.0f bytes, bound %d", heap+stacks, mostWatch)
		case max(left, own) > mostLeft:
			return fmt.Errorf("a minute after the watches the process takes %.2f of what it took before, beyond what Go keeps, "+
				"and its objects %.2f: bound %.2f", left, own, mostLeft)
		}
		name, descriptor = "  again", 0
	}
	return nil
}

// pause waits for a time that is measured.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func readMemory(ctx context.Context, client *http.Client, url string, u *memory.Usage) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+memory.UsagePath, nil)
	if err != nil {
		return err
	}
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return json.NewDecoder(res.Body).Decode(u)
}
