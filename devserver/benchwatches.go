package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/devserver/memory"
)

// Bounds of an idle watch over plain HTTP/1.1.
const (
	// mostWatch is how many bytes of the heap and of stacks it may take, with its connection.
	mostWatch = 16 << 10
	// mostLeft is how much of the memory before the process may take a minute after all are closed, beyond what Go
	// keeps to use it again: its descriptors of goroutines and connections are never given back, at most mostKept
	// bytes for each of those that were open at the same time for the first time.
	mostLeft, mostKept = 1.1, 2 << 10
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

// watchCount is how many watches are open, unless told otherwise.
const watchCount = 5000

// benchWatches measures idle watches.
func benchWatches(ctx context.Context, out io.Writer, flags *flag.FlagSet, args []string) error {
	n := flags.Int("watches", watchCount, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	return watchesOf(ctx, out, *n)
}

// watchesOf measures n idle watches of each kind, in a server of its own.
func watchesOf(ctx context.Context, out io.Writer, n int) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d idle watches\n", n)
	var missed error
	for _, k := range watchKinds {
		if err := k.measure(ctx, out, binary, n); err != nil {
			missed = errors.Join(missed, fmt.Errorf("%s: %w", k.name, err))
		}
	}
	return missed
}

// measure prints what n watches take, and, for a kind that is bounded, what is left of that a minute after they are
// closed: once for a server that has just started, and once more, when Go has what it keeps.
func (k watchKind) measure(ctx context.Context, out io.Writer, binary string, n int) (err error) {
	server, url, err := startServer(ctx, binary, append([]string{"--report-memory"}, k.flags...)...)
	if err != nil {
		return err
	}
	defer func() {
		_ = server.Process.Signal(os.Interrupt) // Wait says how it ended
		err = cmp.Or(err, server.Wait())
	}()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	path, token := "", ""
	if k.room {
		if path, token, err = openWide(ctx, client, url); err != nil {
			return err
		}
	}
	path += "/api/v1/namespaces/default/configmaps?watch=1&allowWatchBookmarks=true&resourceVersion=1"
	// What is made once is made now.
	warm, err := k.dial(ctx, min(n, 50), url, path, token)
	if err != nil {
		return err
	}
	warm()
	name, kept := k.name, mostKept*n
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
		left := (float64(after.Resident) - float64(kept)) / float64(before.Resident)
		switch {
		case heap+stacks > mostWatch:
			return fmt.Errorf("a watch takes %.0f bytes, bound %d", heap+stacks, mostWatch)
		case left > mostLeft:
			return fmt.Errorf("a minute after the watches the process takes %.2f of what it took before, bound %.2f", left,
				mostLeft)
		}
		name, kept = "  again", 0
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

// openWide opens a room in which a teacher may have any number of watches.
func openWide(ctx context.Context, client *http.Client, url string) (path, token string, err error) {
	var room struct{ Path, Token string }
	for _, step := range []struct{ method, path, body string }{
		{"POST", "/rooms", ""},
		{"PATCH", "apis/sandbox.tabernetes.dev/v1/rooms/default", `{"spec":{"quotas":{"requestsPerSecond":100000,` +
			`"requestsPerAddress":1000000,"watches":100000,"watchesPerMember":10000,"watchesPerAddress":100000}}}`},
	} {
		r, err := http.NewRequestWithContext(ctx, step.method, url+room.Path+step.path, strings.NewReader(step.body))
		if err != nil {
			return "", "", err
		}
		if r.Header.Set("Content-Type", "application/merge-patch+json"); room.Token != "" {
			r.Header.Set("Authorization", "Bearer "+room.Token)
		}
		res, err := client.Do(r)
		if err != nil {
			return "", "", err
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode >= 300 {
			return "", "", fmt.Errorf("%s %s: %s %s %w", step.method, step.path, res.Status, text, err)
		}
		if room.Token == "" {
			if err := json.Unmarshal(text, &room); err != nil {
				return "", "", err
			}
		}
	}
	return strings.TrimSuffix(room.Path, "/"), room.Token, nil
}

// dialWatches opens watches over HTTP/1.1, each on a connection of its own.
func dialWatches(ctx context.Context, n int, url, path, token string) (closeAll func(), err error) {
	var all []net.Conn
	closeAll = func() {
		for _, c := range all {
			_ = c.Close() // nobody reads what is left
		}
	}
	scheme, address, _ := strings.Cut(url, "://")
	head := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: kubectl/v1.36.3 (linux/amd64) kubernetes/0123456\r\n"+
		"Accept: application/json\r\nAccept-Encoding: gzip\r\n", path, address)
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	for range n {
		var c net.Conn
		if c, err = new(net.Dialer).DialContext(ctx, "tcp", address); err != nil {
			break
		}
		if scheme == "https" {
			c = tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
		}
		all = append(all, c)
		if _, err = io.WriteString(c, head+"\r\n"); err != nil {
			break
		}
		// The head of the answer, byte by byte: there are many.
		r := bufio.NewReaderSize(c, 16)
		line, e := r.ReadString('\n')
		if e != nil || !strings.Contains(line, " 200 ") {
			err = fmt.Errorf("a watch is answered %q: %w", line, cmp.Or(e, errNotWatched))
			break
		}
		for line != "\r\n" && err == nil {
			line, err = r.ReadString('\n')
		}
	}
	if err != nil {
		closeAll()
	}
	return closeAll, err
}

var errNotWatched = errors.New("it is refused")

// streamWatches opens watches over HTTP/2, a hundred on each connection.
func streamWatches(ctx context.Context, n int, url, path, _ string) (closeAll func(), err error) {
	const each = 100
	ctx, closeAll = context.WithCancel(ctx)
	var transport *http.Transport
	for i := range n {
		if i%each == 0 {
			transport = &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
			context.AfterFunc(ctx, transport.CloseIdleConnections)
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, nil)
		if err != nil {
			return closeAll, err
		}
		res, err := transport.RoundTrip(r)
		if err == nil && (res.StatusCode != http.StatusOK || res.ProtoMajor != 2) {
			err = errNotWatched
		}
		if err != nil {
			closeAll()
			return closeAll, err
		}
	}
	return closeAll, nil
}
