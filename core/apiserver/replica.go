package apiserver

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// replicaHeader names the API server that a request wants, counted from 0, and
// the one that answers if there are several. Without it they take turns, as
// behind a load balancer.
const replicaHeader = "Tabernetes-Replica"

// reader is the registry as the API server sees it that answers a request. Which one that is
// is decided once.
func (s *Server) reader(w *answer, r *http.Request) (registry.Reader, error) {
	if w.reader.Registry != nil {
		return w.reader, nil
	}
	replicas := s.Registry.Replicas
	n := 0
	if wanted := r.Header.Get(replicaHeader); wanted != "" {
		var err error
		if n, err = strconv.Atoi(wanted); err != nil || replicas.Cache(n) == nil {
			return registry.Reader{}, status.NewBadRequest(fmt.Sprintf(
				"%s: there is no API server %q: there are %d, counted from 0", replicaHeader, wanted, replicas.Len()))
		}
	} else {
		n = replicas.Next()
	}
	if replicas.Len() > 1 {
		w.Header().Set(replicaHeader, strconv.Itoa(n))
	}
	if from := source.Of(r.Context()); from != nil {
		from.Server = n
	}
	w.reader = s.Registry.Via(n)
	return w.reader, nil
}
