package apiserver

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// checks are the parts whose health can be asked for. They are up whenever the
// server can answer.
var checks = []string{"ping", "log", "etcd"}

// health answers /healthz, /livez, /readyz and their single checks, whatever the
// method.
func (s *Server) health(w http.ResponseWriter, r *http.Request, segments []string) {
	if len(segments) > 2 || len(segments) == 2 && !slices.Contains(checks, segments[1]) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	q := r.URL.Query()
	if len(segments) == 2 || !q.Has("verbose") {
		fmt.Fprint(w, "ok")
		return
	}
	excluded := q["exclude"]
	for _, check := range checks {
		if slices.Contains(excluded, check) {
			fmt.Fprintf(w, "[+]%s excluded: ok\n", check)
		} else {
			fmt.Fprintf(w, "[+]%s ok\n", check)
		}
	}
	excluded = slices.DeleteFunc(slices.Clone(excluded), func(name string) bool { return slices.Contains(checks, name) })
	if len(excluded) > 0 {
		fmt.Fprintf(w, "warn: some health checks cannot be excluded: no matches for %q\n", strings.Join(excluded, ","))
	}
	fmt.Fprintf(w, "%s check passed\n", segments[0])
}
