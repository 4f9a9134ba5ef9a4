package apiserver

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// checks are the health checks of a kube-apiserver, in its order.
var checks = strings.Fields(`ping log loopback-serving-certificate etcd etcd-readiness informer-sync
	poststarthook/start-apiserver-admission-initializer poststarthook/generic-apiserver-start-informers
	poststarthook/priority-and-fairness-config-consumer poststarthook/priority-and-fairness-filter
	poststarthook/storage-object-count-tracker-hook poststarthook/start-apiextensions-informers
	poststarthook/start-apiextensions-controllers poststarthook/crd-informer-synced
	poststarthook/start-system-namespaces-controller poststarthook/peer-endpoint-reconciler-controller
	poststarthook/start-cluster-authentication-info-controller poststarthook/start-kube-apiserver-identity-lease-controller
	poststarthook/start-kube-apiserver-identity-lease-garbage-collector poststarthook/storage-readiness
	poststarthook/start-legacy-token-tracking-controller poststarthook/start-service-ip-repair-controllers
	poststarthook/scheduling/bootstrap-system-priority-classes poststarthook/priority-and-fairness-config-producer
	poststarthook/bootstrap-controller poststarthook/start-kubernetes-service-cidr-controller
	poststarthook/start-kube-aggregator-informers poststarthook/apiservice-status-local-available-controller
	poststarthook/apiservice-status-remote-available-controller poststarthook/apiservice-registration-controller
	poststarthook/apiservice-discovery-controller poststarthook/kube-apiserver-autoregistration autoregister-completion
	poststarthook/apiservice-openapi-controller poststarthook/apiservice-openapiv3-controller shutdown`)

// only are the checks that not all of /healthz, /livez and /readyz have.
var only = map[string]bool{"loopback-serving-certificate": false, "etcd-readiness": true, "informer-sync": true,
	"shutdown": true}

// A HealthCheck is a check that a server has besides those of every kube-apiserver.
type HealthCheck struct {
	// Name is its path below /healthz, /livez and /readyz.
	Name string
	// Check returns why it fails, nil if it does not.
	Check func() error
}

// checksOf returns the checks of /healthz, /livez or /readyz.
func (s *Server) checksOf(endpoint string) []string {
	names := slices.DeleteFunc(slices.Clone(checks), func(name string) bool {
		ready, some := only[name]
		return some && ready != (endpoint == wellknown.Readyz)
	})
	for _, c := range s.Checks {
		names = append(names, c.Name)
	}
	return names
}

// failures returns why checks fail, by their names.
func (s *Server) failures() map[string]error {
	failed := map[string]error{}
	if trouble, _ := s.storage(); trouble != nil {
		failed["etcd"] = trouble
	}
	for _, c := range s.Checks {
		if err := c.Check(); err != nil {
			failed[c.Name] = err
		}
	}
	return failed
}

// health answers /healthz, /livez, /readyz and their single checks, for any method. All checks
// except that of the storage, etcd, and those of Server.Checks succeed whenever the server can answer.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	endpoint, check, single := strings.Cut(r.URL.Path[1:], "/")
	checks := s.checksOf("/" + endpoint)
	if single && !slices.Contains(checks, check) {
		http.NotFound(w, r)
		return
	}
	failures := s.failures()
	if why := failures[check]; single && why != nil {
		http.Error(w, "internal server error: "+why.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if single {
		fmt.Fprint(w, "ok")
		return
	}
	q := r.URL.Query()
	excluded := q["exclude"]
	for _, name := range excluded {
		delete(failures, name)
	}
	for _, name := range checks {
		if !slices.Contains(excluded, name) {
			s.healthchecks.observe(name, endpoint, failures[name])
		}
	}
	failed := len(failures) > 0
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if !failed && !q.Has("verbose") {
		fmt.Fprint(w, "ok")
		return
	}
	_, notice := s.storage()
	var out strings.Builder
	for _, check := range checks {
		switch why := failures[check]; {
		case slices.Contains(excluded, check):
			fmt.Fprintf(&out, "[+]%s excluded: ok\n", check)
		case why != nil: // the real server does not show the reason
			fmt.Fprintf(&out, "[-]%s failed: %v\n", check, why)
		case check == "etcd" && notice != "":
			fmt.Fprintf(&out, "[+]%s ok: %s\n", check, notice)
		default:
			fmt.Fprintf(&out, "[+]%s ok\n", check)
		}
	}
	if failed {
		http.Error(w, out.String()+endpoint+" check failed", http.StatusInternalServerError)
		return
	}
	var unknown []string
	for _, name := range excluded {
		if !slices.Contains(checks, name) {
			unknown = append(unknown, strconv.Quote(name))
		}
	}
	if len(unknown) > 0 {
		fmt.Fprintf(&out, "warn: some health checks cannot be excluded: no matches for %s\n", strings.Join(unknown, ","))
	}
	fmt.Fprintf(&out, "%s check passed\n", endpoint)
	fmt.Fprint(w, out.String())
}

// storage returns the state of the storage.
func (s *Server) storage() (trouble error, notice string) {
	if s.Trouble != nil {
		trouble = s.Trouble()
	}
	if s.Notice != nil {
		notice = s.Notice()
	}
	return trouble, notice
}
