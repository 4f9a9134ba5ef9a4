package apiserver

import (
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

// healthchecks counts what health checks have found, for the metrics at /metrics/slis. The zero value has none.
type healthchecks struct {
	mu sync.Mutex
	// found is what was found, by the labels of the check and of the endpoint that asked for it.
	found map[string]*found
}

// found are the numbers of failures and successes; last is the last result, 1 for a success.
type found struct{ failures, successes, last int }

// observe counts the result of a check.
func (h *healthchecks) observe(name, endpoint string, failure error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.found == nil {
		h.found = map[string]*found{}
	}
	labels := `name="` + name + `",%stype="` + endpoint + `"`
	f := h.found[labels]
	if f == nil {
		f = &found{}
		h.found[labels] = f
	}
	if failure != nil {
		f.failures, f.last = f.failures+1, 0
	} else {
		f.successes, f.last = f.successes+1, 1
	}
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
	order := slices.Sorted(maps.Keys(h.found))
	if len(order) == 0 {
		return
	}
	line := func(metric, labels, status string, n int) {
		fmt.Fprintf(w, "kubernetes_"+metric+"{"+labels+"} %d\n", status, n)
	}
	fmt.Fprint(w, "# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.\n"+
		"# TYPE kubernetes_healthcheck gauge\n")
	for _, labels := range order {
		line("healthcheck", labels, "", h.found[labels].last)
	}
	fmt.Fprint(w, "# HELP kubernetes_healthchecks_total [STABLE] This metric records the results of all healthcheck.\n"+
		"# TYPE kubernetes_healthchecks_total counter\n")
	for _, labels := range order {
		f := h.found[labels]
		if f.failures > 0 {
			line("healthchecks_total", labels, `status="error",`, f.failures)
		}
		if f.successes > 0 {
			line("healthchecks_total", labels, `status="success",`, f.successes)
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
