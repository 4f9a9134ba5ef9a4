package apiserver

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// log answers a request for the log of a container. A pod without a node has an empty one; a pod's
// node would have to be asked.
func (s *Server) log(w *answer, r *http.Request, i *info) error {
	q := r.URL.Query()
	errs, err := validateLogOptions(q)
	switch {
	case err != nil:
		return err
	case len(errs) > 0:
		return status.NewInvalid(status.GroupKind{Kind: "PodLogOptions"}, i.Name, errs)
	}
	pod, err := s.object(r.Context(), "pods", i.Namespace, i.Name)
	if err != nil {
		return err
	}
	container, err := containerOf(pod, q.Get("container"))
	if err != nil {
		return err
	}
	node := object.GetString(pod, "spec", "nodeName")
	if node == "" {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	host, port, err := s.kubelet(r.Context(), node)
	if err != nil {
		return err
	}
	return fmt.Errorf("Get %q: %w",
		fmt.Sprintf("https://%s/containerLogs/%s/%s/%s", net.JoinHostPort(host, port), i.Namespace, i.Name, container),
		unreachable(host, port))
}

// validateLogOptions validates a PodLogOptions from a URL. The error is a 400 for what cannot be
// parsed.
func validateLogOptions(q url.Values) (field.ErrorList, error) {
	var errs field.ErrorList
	numbers := map[string]int64{}
	for _, name := range []string{"sinceSeconds", "tailLines", "limitBytes"} {
		if !q.Has(name) {
			continue
		}
		n, err := strconv.ParseInt(q.Get(name), 10, 64)
		if err != nil {
			return nil, status.NewBadRequest(err.Error())
		}
		numbers[name] = n
	}
	since := q.Get("sinceTime")
	if since != "" {
		if _, err := time.Parse(time.RFC3339, since); err != nil {
			return nil, status.NewBadRequest(err.Error())
		}
	}
	if n, ok := numbers["tailLines"]; ok && n < 0 {
		errs.Add(field.Invalid("tailLines", n, "must be greater than or equal to 0"))
	}
	if n, ok := numbers["limitBytes"]; ok && n < 1 {
		errs.Add(field.Invalid("limitBytes", n, "must be greater than 0"))
	}
	if n, ok := numbers["sinceSeconds"]; ok && since != "" {
		errs.Add(field.Forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"))
	} else if ok && n < 1 {
		errs.Add(field.Invalid("sinceSeconds", n, "must be greater than 0"))
	}
	if q.Has("stream") {
		errs.Add(field.Forbidden("stream", "may not be specified"))
	}
	return errs, nil
}

// containerOf finds the container of a request: the named one, or the only one.
func containerOf(pod map[string]any, name string) (string, error) {
	all := names(pod, "initContainers", "containers", "ephemeralContainers")
	if name != "" {
		for _, n := range all {
			if n == name {
				return name, nil
			}
		}
		return "", status.NewBadRequest(fmt.Sprintf("container %s is not valid for pod %s", name, object.Name(pod)))
	}
	if regular := names(pod, "containers"); len(regular) == 1 {
		return regular[0], nil
	}
	return "", status.NewBadRequest(fmt.Sprintf("a container name must be specified for pod %s, choose one of: %s",
		object.Name(pod), all))
}

// names returns the names of the entries of lists in a pod's spec.
func names(pod map[string]any, lists ...string) []string {
	var out []string
	for _, list := range lists {
		for _, v := range object.GetList(pod, "spec", list) {
			entry, _ := v.(map[string]any)
			out = append(out, object.GetString(entry, "name"))
		}
	}
	return out
}
