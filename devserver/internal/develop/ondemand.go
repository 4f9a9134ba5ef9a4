package develop

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// An OnDemand builds a program of a nested module, such as kubectl, when a page first asks for it: that takes minutes
// the first time, and most who start a server do not want it. Until it is there, pages have to ask again.
type OnDemand struct {
	// Name is that of the program.
	Name string
	// Build builds it into a directory, and returns that.
	Build func(ctx context.Context) (dir string, err error)

	once  sync.Once
	asked chan struct{}
	mu    sync.Mutex
	state state
}

// A state says whether there is the program.
type state int

const (
	building state = iota
	built
	failed
)

// NewOnDemand returns a program that is not built yet.
func NewOnDemand(name string, build func(context.Context) (string, error)) *OnDemand {
	return &OnDemand{Name: name, Build: build, asked: make(chan struct{})}
}

// Serve answers who asks for the list of the program's parts before there is one, and has all else answered by files.
func (k *OnDemand) Serve(files http.Handler) http.Handler {
	list := site.NestedList(k.Name)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != list {
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
			http.Error(w, k.Name+": this is being built, which takes minutes the first time.", http.StatusServiceUnavailable)
		default:
			http.Error(w, k.Name+": this could not be built; the devserver has printed why.", http.StatusInternalServerError)
		}
	})
}

// Run waits until it is asked for, builds it, and puts it into the site that builder builds; shown is called then.
func (k *OnDemand) Run(ctx context.Context, builder *site.Builder, shown func(*site.Index)) {
	select {
	case <-k.asked:
	case <-ctx.Done():
		return
	}
	fmt.Printf("a page asks for %s: building it (the first time takes minutes)\n", k.Name)
	dir, err := k.Build(ctx)
	if err == nil {
		builder.SetNested(k.Name, dir)
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
		fmt.Fprintln(os.Stderr, k.Name+":", err)
	}
}
