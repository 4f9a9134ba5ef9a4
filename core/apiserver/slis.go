package apiserver

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// slisPath is where the results of health checks are, as metrics.
const slisPath = wellknown.Metrics + "/slis"

// An observation is what health checks of one name and endpoint have found.
type observation struct{ name, endpoint string }

// healthchecks counts what health checks have found, for the metrics at /metrics/slis. The zero value has none.
type healthchecks struct {
	mu    sync.Mutex
	found map[observation]*found
}

// found are the numbers of failures and successes; last is the last result, 1 for a success.
type found struct {
	counts [2]int
	last   int
}

// results are the labels of found.counts.
var results = [2]string{"error", "success"}

// observe counts the result of a check.
func (h *healthchecks) observe(name, endpoint string, failure error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.found == nil {
		h.found = map[observation]*found{}
	}
	f := h.found[observation{name, endpoint}]
	if f == nil {
		f = &found{}
		h.found[observation{name, endpoint}] = f
	}
	f.last = 1
	if failure != nil {
		f.last = 0
	}
	f.counts[f.last]++
}

// reset forgets all results.
func (h *healthchecks) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found = nil
}

// write writes the metrics.
func (h *healthchecks) write(w io.Writer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	order := slices.SortedFunc(maps.Keys(h.found), func(a, b observation) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.endpoint, b.endpoint))
	})
	if len(order) == 0 {
		return
	}
	fmt.Fprint(w, "# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.\n"+
		"# TYPE kubernetes_healthcheck gauge\n")
	for _, o := range order {
		fmt.Fprintf(w, "kubernetes_healthcheck{name=%q,type=%q} %d\n", o.name, o.endpoint, h.found[o].last)
	}
	fmt.Fprint(w, "# HELP kubernetes_healthchecks_total [STABLE] This metric records the results of all healthcheck.\n"+
		"# TYPE kubernetes_healthchecks_total counter\n")
	for _, o := range order {
		for i, n := range h.found[o].counts {
			if n > 0 {
				fmt.Fprintf(w, "kubernetes_healthchecks_total{name=%q,status=%q,type=%q} %d\n", o.name, results[i], o.endpoint, n)
			}
		}
	}
}

// slis answers /metrics/slis.
func (s *Server) slis(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodDelete {
		s.healthchecks.reset()
		_, err := io.WriteString(w, "metrics reset\n")
		return err
	}
	w.Header().Set("Content-Type", mediaMetrics)
	if r.Method != http.MethodHead {
		s.healthchecks.write(w)
	}
	return nil
}
