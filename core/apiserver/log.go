package apiserver

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// log answers a request for the log of a container. A pod without a node has an empty one; the kubelet of a pod's node
// is asked. Who reaches kubelets knows whether it verifies their certificates: insecureSkipTLSVerifyBackend has no
// effect.
func (s *Server) log(w *answer, r *http.Request, i *info) error {
	q := r.URL.Query()
	params, errs, err := logParams(q)
	switch {
	case err != nil:
		return status.NewBadRequest(err.Error())
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
	location, err := s.kubeletURL(r.Context(), node,
		"/containerLogs/"+i.Namespace+"/"+i.Name+"/"+container, params)
	if err != nil {
		return err
	}
	answer, end, err := s.ask(r.Context(), &http.Request{Method: http.MethodGet, URL: location, Header: http.Header{}})
	if err != nil {
		return &url.Error{Op: "Get", URL: location.String(), Err: err}
	}
	defer end()
	if err := refusedLog(answer, i.Name); err != nil {
		return err
	}
	if err := beginStream(w, "text/plain"); err != nil {
		return err
	}
	pass(w, answer.Body, params.Has("follow"))
	return nil
}

// logParams validates a PodLogOptions from a URL, and returns the parameters of the request to the kubelet. The error
// is what cannot be parsed.
func logParams(q url.Values) (params url.Values, errs field.ErrorList, err error) {
	params = url.Values{}
	for _, name := range []string{"follow", "previous", "timestamps"} {
		if boolParam(q, name) {
			params.Set(name, "true")
		}
	}
	numbers := map[string]int64{}
	for _, name := range []string{"sinceSeconds", "tailLines", "limitBytes"} {
		if !q.Has(name) {
			continue
		}
		n, err := strconv.ParseInt(q.Get(name), 10, 64)
		if err != nil {
			return nil, nil, err
		}
		numbers[name] = n
		params.Set(name, strconv.FormatInt(n, 10))
	}
	if q.Has("sinceTime") {
		var since time.Time
		if text := q.Get("sinceTime"); text != "" && text != "null" {
			if since, err = time.Parse(time.RFC3339, text); err != nil {
				return nil, nil, err
			}
		}
		params.Set("sinceTime", since.UTC().Format(time.RFC3339))
	}
	if n, ok := numbers["tailLines"]; ok && n < 0 {
		errs.Add(field.Invalid("tailLines", n, "must be greater than or equal to 0"))
	}
	if n, ok := numbers["limitBytes"]; ok && n < 1 {
		errs.Add(field.Invalid("limitBytes", n, "must be greater than 0"))
	}
	if n, ok := numbers["sinceSeconds"]; ok && params.Has("sinceTime") {
		errs.Add(field.Forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"))
	} else if ok && n < 1 {
		errs.Add(field.Invalid("sinceSeconds", n, "must be greater than 0"))
	}
	if q.Has("stream") {
		errs.Add(field.Forbidden("stream", "may not be specified"))
	}
	return params, errs, nil
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
