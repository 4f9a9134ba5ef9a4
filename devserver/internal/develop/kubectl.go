package develop

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// A Kubectl builds the kubectl of the page when a page first asks for it: that takes minutes the first time, and most
// who start a server do not want it. Until it is there, pages have to ask again.
type Kubectl struct {
	// Build builds it into a directory, and returns that.
	Build func(ctx context.Context) (dir string, err error)

	once  sync.Once
	asked chan struct{}
	mu    sync.Mutex
	state kubectlState
}

// A kubectlState says whether there is a kubectl.
type kubectlState int

const (
	building kubectlState = iota
	built
	failed
)

// NewKubectl returns one that is not built yet.
func NewKubectl(build func(context.Context) (string, error)) *Kubectl {
	return &Kubectl{Build: build, asked: make(chan struct{})}
}

// Serve answers who asks for the list of kubectl's parts before there is one, and has all else answered by files.
func (k *Kubectl) Serve(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != site.KubectlList {
			files.ServeHTTP(w, r)
			return
		}
		k.once.Do(func() { close(k.asked) })
		k.mu.Lock()
		state := k.state
		k.mu.Unlock()
		w.Header().Set("Cache-Control", "no-store")
		switch state {
		case built:
			files.ServeHTTP(w, r)
		case building:
			w.Header().Set("Retry-After", "3")
			http.Error(w, "kubectl is being built, which takes minutes the first time.", http.StatusServiceUnavailable)
		default:
			http.Error(w, "kubectl could not be built; the devserver has printed why.", http.StatusInternalServerError)
		}
	})
}

// Run waits until it is asked for, builds it, and puts it into the site that builder builds; shown is called then.
func (k *Kubectl) Run(ctx context.Context, builder *site.Builder, shown func(*site.Index)) {
	select {
	case <-k.asked:
	case <-ctx.Done():
		return
	}
	fmt.Println("a page asks for kubectl: building it (the first time takes minutes)")
	dir, err := k.Build(ctx)
	if err == nil {
		builder.SetKubectl(dir)
		var report *site.Report
		if report, err = builder.Build(ctx, 0); err == nil {
			shown(report.Index)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case err == nil:
		k.state = built
	case ctx.Err() == nil:
		k.state = failed
		fmt.Fprintln(os.Stderr, "kubectl:", err)
	}
}
