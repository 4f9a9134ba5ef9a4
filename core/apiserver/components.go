package apiserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// A component is a part of the control plane that the API server asks for its health: what ComponentStatuses show.
type component struct {
	name string
	// port is where it answers on the API server's own host; 0 for etcd.
	port int
	// check returns why it is not healthy, nil if it is.
	check func(*Server) error
}

// components are asked whenever ComponentStatuses are read. There is no scheduler, and the controllers are those of
// the controller manager.
var components = []component{
	{"controller-manager", 10257, (*Server).controllersRun},
	{"etcd-0", 0, func(s *Server) error {
		trouble, _ := s.storage()
		return trouble
	}},
	{"scheduler", 10259, func(*Server) error { return refusedConnection(10259) }},
}

func (s *Server) controllersRun() error {
	if s.Controllers == nil || !s.Controllers() {
		return refusedConnection(10257)
	}
	return nil
}

// refusedConnection is the error of a connection to a port on which nobody listens.
func refusedConnection(port int) error {
	at := fmt.Sprintf("127.0.0.1:%d", port)
	return fmt.Errorf(`Get "https://%s/healthz": dial tcp %s: connect: connection refused`, at, at)
}

// status returns the ComponentStatus, encoded. Why etcd is not healthy is an error, and of others a message.
func (c component) status(s *Server) []byte {
	healthy, what, text := "True", "message", "ok"
	if err := c.check(s); err != nil {
		healthy, text = "False", err.Error()
		if c.port == 0 {
			what = "error"
		}
	}
	quoted, _ := json.Marshal(text) // any text can be encoded
	return []byte(`{"kind":"ComponentStatus","apiVersion":"v1","metadata":{"name":"` + c.name + `"},"conditions":[{` +
		`"type":"Healthy","status":"` + healthy + `","` + what + `":` + string(quoted) + `}]}`)
}

// componentStatuses answers a read of ComponentStatuses, which are not stored: they have no versions and no pages.
func (s *Server) componentStatuses(w *answer, r *http.Request, i *info) error {
	if i.verb == "get" {
		at := slices.IndexFunc(components, func(c component) bool { return c.name == i.Name })
		if at < 0 {
			return status.NewNotFound(status.GroupResource{Resource: i.Singular}, i.Name)
		}
		return w.stored(http.StatusOK, components[at].status(s))
	}
	o, err := listOptions(r, i, w.reader)
	if err != nil {
		return err
	}
	l := &registry.List{Remaining: -1}
	for _, c := range components {
		fields := map[string]string{"metadata.name": c.name}
		if o.Labels.Matches(nil) && o.Fields.Matches(func(name string) string { return fields[name] }) {
			l.Items = append(l.Items, c.status(s))
		}
	}
	return w.list(i.Resource, l)
}
