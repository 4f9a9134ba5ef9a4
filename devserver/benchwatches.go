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
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Bounds of an idle watch over plain HTTP/1.1.
const (
	// mostWatch is how many bytes of the heap and of stacks it may take, with its connection.
	mostWatch = 16 << 10
	// mostLeft is how much of the memory before the process may take a minute after all are closed, and how much the
	// server's objects, beyond the descriptors that Go never gives back.
	mostLeft = 1.1
)

// A memoryUse is what a server takes, in bytes.
type memoryUse struct {
	// Heap and Stacks are in use after a collection, Resident is what the process had of the system before it, of which
	// File are pages of the program that the system may load and drop at any time; 0 if that is not known.
	Heap, Stacks, Resident, File uint64
	// Live is what the objects on the heap take, Other what Go takes outside of it, for connections above all.
	Live, Other, Goroutines uint64
}

// keptBy returns how many bytes of descriptors Go has taken since before and keeps to use them again: of the goroutines
// that there were while watches were open, which are on its heap (runtime.g), and of their connections, which are not
// (runtime.pollDesc).
func (u memoryUse) keptBy(open, before memoryUse, goroutine float64) (goroutines, connections float64) {
	more := max(0, float64(open.Goroutines)-float64(before.Goroutines))
	return goroutine * more, max(0, float64(u.Other)-float64(before.Other))
}

// measureDescriptor returns how many bytes Go keeps of a goroutine that has ended.
func measureDescriptor() float64 {
	const n = 20_000
	live := func() float64 { return float64(useMemory().Live) }
	before := live()
	var all sync.WaitGroup
	end := make(chan struct{})
	for range n {
		all.Go(func() { <-end })
	}
	close(end)
	all.Wait()
	return (live() - before) / n
}

// useMemory returns what the process takes, and collects garbage as often as Go does in some minutes.
func useMemory() (u memoryUse) {
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 2 {
			pages, _ := strconv.ParseUint(fields[1], 10, 64)
			ofFiles, _ := strconv.ParseUint(fields[2], 10, 64)
			u.Resident, u.File = pages*uint64(os.Getpagesize()), ofFiles*uint64(os.Getpagesize())
		}
	}
	for range 3 { // stacks shrink by half in each
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.Heap, u.Stacks, u.Live, u.Other = m.HeapInuse, m.StackInuse, m.HeapAlloc, m.OtherSys
	u.Goroutines = uint64(runtime.NumGoroutine())
	return u
}

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
	descriptor := measureDescriptor()
	fmt.Fprintf(out, "%d idle watches; Go keeps %.0f bytes of each goroutine\n", n, descriptor)
	var missed error
	for _, k := range watchKinds {
		if err := k.measure(ctx, out, binary, n, descriptor); err != nil {
			missed = errors.Join(missed, fmt.Errorf("%s: %w", k.name, err))
		}
	}
	return missed
}

// measure prints what n watches take, and, for a kind that is bounded, what is left of that a minute after they are
// closed: once for a server that has just started, and once more, when Go has what it keeps.
func (k watchKind) measure(ctx context.Context, out io.Writer, binary string, n int, descriptor float64) (err error) {
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
	// What is made once is made now, and memory given back, for which these are enough.
	warm, err := k.dial(ctx, min(n, 200), url, path, token)
	if err != nil {
		return err
	}
	warm()
	if err := pause(ctx, time.Minute); k.bounded && err != nil {
		return err
	}
	name := k.name
	for range 2 {
		var before, open, after memoryUse
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
		goroutines, connections := after.keptBy(open, before, descriptor)
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

// memoryPath is where a server with --report-memory tells what it takes.
const memoryPath = wellknown.Devserver + "memory"

func readMemory(ctx context.Context, client *http.Client, url string, u *memoryUse) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+memoryPath, nil)
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
