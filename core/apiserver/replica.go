package apiserver

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// reader returns the registry as seen by the API server that answers a request. A request names
// that server in wellknown.ReplicaHeader; without it they take turns, as behind a load balancer.
// The choice is made once per request.
func (s *Server) reader(w *answer, r *http.Request) (registry.Reader, error) {
	if w.reader.Registry != nil {
		return w.reader, nil
	}
	replicas := s.Registry.Replicas
	n := 0
	if wanted := first(r.Header[wellknown.ReplicaHeader]); wanted != "" {
		var err error
		if n, err = strconv.Atoi(wanted); err != nil || replicas.Cache(n) == nil {
			return registry.Reader{}, status.NewBadRequest(fmt.Sprintf(
				"%s: there is no API server %q: there are %d, counted from 0", wellknown.ReplicaHeader, wanted, replicas.Len()))
		}
	} else {
		n = replicas.Next()
	}
	if replicas.Len() > 1 {
		w.Header().Set(wellknown.ReplicaHeader, strconv.Itoa(n))
	}
	if from := source.Of(r.Context()); from != nil {
		from.Server = n
	}
	w.reader = s.Registry.Via(n)
	return w.reader, nil
}
