package compare

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/front"
)

// A memoryCost is what one thing costs in memory, and its bound.
type memoryCost struct {
	name    string
	measure func() (bytes, bound float64, err error)
}

var memoryCosts = []memoryCost{
	{"an object, with its JSON", measureObject},
	{"an idle watcher, more than an idle handler of net/http", measureWatcher},
}

// used returns the memory of what is alive: heap and stacks.
func used() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// measureObject measures an object, which may take 1.5 times its JSON and 400 bytes.
func measureObject() (bytes, bound float64, err error) {
	const objects = 10_000
	a, err := newFixture()
	if err != nil {
		return 0, 0, err
	}
	defer a.close()
	if err := a.fill(1); err != nil {
		return 0, 0, err
	}
	w := httptest.NewRecorder()
	a.cluster.ServeHTTP(w, httptest.NewRequest("GET", pods+"/p000000", nil))
	size := float64(w.Body.Len())
	before := used()
	for i := range objects {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", pods, strings.NewReader(pod(fmt.Sprintf("m%06d", i), "")))
		if a.cluster.ServeHTTP(w, r); w.Code != http.StatusCreated {
			return 0, 0, fmt.Errorf("creating a pod: %d %s", w.Code, w.Body)
		}
	}
	return (used() - before) / objects, 1.5*size + 400, nil
}

// measureWatcher compares waiting watches with waiting handlers, each with its own connection. A watch may take
// less: the server takes its connection from net/http, with the buffers.
func measureWatcher() (bytes, bound float64, err error) {
	idle := func(*fixture) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
	}
	if _, err := measureStreams(idle); err != nil { // what is made once in a process is made now
		return 0, 0, err
	}
	least, err := measureStreams(idle)
	if err != nil {
		return 0, 0, err
	}
	ours, err := measureStreams(func(a *fixture) http.Handler { // as the server answers: it lets the handlers return
		return front.New(a.cluster, front.Options{APIOnly: true})
	})
	return ours - least, 4096, err
}

// measureStreams returns what a waiting stream costs, with its connection and its client. It leaves no goroutine
// behind, whose stack the next measurement would count.
//
// Set GODEBUG=adaptivestackstart=0, as make bench does: otherwise the runtime chooses the size of all stacks by their
// average, clients' stacks included, and the difference of two measurements says more about that than about streams.
func measureStreams(handler func(*fixture) http.Handler) (float64, error) {
	const warm, streams = 50, 500
	goroutines := runtime.NumGoroutine()
	a, err := newFixture()
	if err != nil {
		return 0, err
	}
	defer func() {
		a.close()
		for range 10_000 {
			if runtime.NumGoroutine() <= goroutines {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	url := a.serve(handler(a)) + pods + "?watch=1&allowWatchBookmarks=true&resourceVersion=1"
	var before float64
	for i := range warm + streams {
		if i == warm {
			before = used()
		}
		if err := a.follow(url, func() {}); err != nil {
			return 0, err
		}
	}
	return (used() - before) / streams, nil
}
