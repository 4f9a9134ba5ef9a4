package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
	"github.com/tabernetes/tabernetes/wasm/controllers/controlplanetest"
	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// programs are those of a scene, by what they are called.
type programs struct {
	t      *testing.T
	server *kubetest.Server
	lines  map[string]*line
	// machine is the one on which they run, if that is busy.
	machine *busy
}

// start runs a program until the test ends, again a second after it has ended. It is called label.
func (p *programs) start(name, label string) {
	ctx, cancel := context.WithCancel(klog.NewContext(p.t.Context(), logr.Discard()))
	l := &line{end: cancel}
	p.lines[label] = l
	flags := []string{"--leader-elect-identity=" + strings.ReplaceAll(label, name, "page"),
		"--leader-elect-lease-duration=180s", "--leader-elect-renew-deadline=120s", "--leader-elect-retry-period=60s"}
	if name == "kubelets" {
		flags = append(flags, "--nodes=3")
	}
	wrap := func(next http.RoundTripper) http.RoundTripper {
		if p.machine != nil {
			next = p.machine.wrap(next)
		}
		return tripper{l, next}
	}
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			_ = controlplanetest.Run(ctx, p.server, wrap, name, flags...) // why it has ended is in its log
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	})
	p.t.Cleanup(func() {
		cancel()
		l.proceed()
		running.Wait()
	})
}

// lever does what a step asks.
func (p *programs) lever(_ context.Context, lever format.Lever) error {
	l := p.lines[lever.Program]
	if l == nil {
		return fmt.Errorf("%s does not run", lever.Program)
	}
	switch lever.Do {
	case format.Second:
		p.start(lever.Program, lever.Program+"-2")
	case format.End:
		l.mu.Lock()
		l.ended = true
		l.mu.Unlock()
		l.end()
	case format.Stop:
		l.mu.Lock()
		l.before = lever.Resource
		l.mu.Unlock()
	case format.Continue:
		l.proceed()
	case format.Lag:
		l.mu.Lock()
		l.lagged, l.lag = lever.Resource, time.Duration(lever.Seconds)*time.Second
		l.mu.Unlock()
	}
	return nil
}

// A line is what may be wrong between a program and its server. The page's is web/controlplane/worker/client.js; what
// differs is that here a program's time runs on while it is stopped: it gives up its Lease, and ends, while its write
// is on the way. That is carried out, too, when it is let through.
type line struct {
	end    context.CancelFunc
	mu     sync.Mutex
	ended  bool          // nothing gets through
	before string        // the resource before whose next write the program is stopped
	closed chan struct{} // while it is stopped; closed when it is let through
	lagged string        // the resource whose watches are late
	lag    time.Duration
}

func (l *line) proceed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before = ""
	if l.closed != nil {
		close(l.closed)
		l.closed = nil
	}
}

var errEnded = errors.New("the program was killed")

// pass waits while the program is stopped, which a write of that resource may lead to.
func (l *line) pass(ctx context.Context, write string) (held bool, err error) {
	l.mu.Lock()
	if write != "" && write == l.before {
		l.before, l.closed, held = "", make(chan struct{}), true
	}
	closed, ended := l.closed, l.ended
	l.mu.Unlock()
	switch {
	case ended:
		return held, errEnded
	case closed == nil:
		return held, nil
	case held: // it was sent before the program ended
		<-closed
		return held, nil
	}
	select {
	case <-closed:
		return held, nil
	case <-ctx.Done():
		return held, ctx.Err()
	}
}

// late waits until what came at a time may get through.
func (l *line) late(ctx context.Context, resource string, came time.Time) {
	for ctx.Err() == nil {
		l.mu.Lock()
		on := resource == l.lagged && time.Since(came) < l.lag
		l.mu.Unlock()
		if !on {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// A tripper has a program's requests go through its line.
type tripper struct {
	*line
	next http.RoundTripper
}

func (l tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	resource, write := resourceOf(r.URL.Path), ""
	if r.Method != http.MethodGet {
		write = resource
	}
	ctx := r.Context()
	held, err := l.pass(ctx, write)
	if err != nil {
		return nil, err
	}
	if held {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r = r.Clone(context.WithoutCancel(ctx))
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	w, err := l.next.RoundTrip(r)
	if err == nil && r.URL.Query().Get("watch") == "true" {
		w.Body = &late{w.Body, l.line, ctx, resource}
	}
	return w, err
}

// A late is the body of a watch.
type late struct {
	io.ReadCloser
	line     *line
	ctx      context.Context
	resource string
}

func (b *late) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.line.late(b.ctx, b.resource, time.Now())
	if _, ended := b.line.pass(b.ctx, ""); ended != nil {
		return 0, ended
	}
	return n, err
}

// resourceOf returns the plural of the resource that a path of the API names.
func resourceOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if parts[0] == "apis" {
		parts = parts[1:]
	}
	parts = parts[min(2, len(parts)):] // without the group's version
	if len(parts) > 2 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	if len(parts) == 0 {
		return ""
	}
	return parts[0]
}
