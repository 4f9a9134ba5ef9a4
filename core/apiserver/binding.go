package apiserver

import (
	"net/http"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// bind answers a POST of a Binding: to a pod's own path, or to the older collection, where the
// binding's name is the pod's.
func (s *Server) bind(w *answer, r *http.Request, i *info) error {
	want := expect("", "v1", "Binding")
	binding, o, err := s.readWrite(w, r, i, want)
	if err != nil {
		return err
	}
	pod := i.Target
	if pod.Name == "" {
		pod.Resource, pod.Name = s.Table.Resource("", "v1", "pods"), object.Name(binding)
		delete(object.Meta(binding), "uid") // as for any new object
	}
	if err := s.Registry.Bind(r.Context(), pod, i.Target, binding, o); err != nil {
		return err
	}
	w.send(http.StatusCreated, status.Created().JSON())
	return nil
}
