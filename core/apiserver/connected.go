package apiserver

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// connected runs admission before a subresource that connects the client to something else. The
// object of the review is the request's parameters.
func connected(serve func(*Server, *answer, *http.Request, *info) error) func(*Server, *answer, *http.Request,
	*info) error {
	return func(s *Server, w *answer, r *http.Request, i *info) error {
		if len(r.URL.Query()["dryRun"]) > 0 {
			return status.NewBadRequest("dryRun is not supported")
		}
		if _, err := portsOf(r.URL.Query()); err != nil && i.Subresource == "portforward" {
			return err
		}
		if err := s.Registry.AdmitConnect(r.Context(), i.Target, connectOptions(r, i), w.warn); err != nil {
			return err
		}
		return serve(s, w, r, i)
	}
}

// connects reports whether a request is to a connecting subresource, whose answer does not depend
// on the Accept header.
func (i *info) connects() bool {
	switch i.Subresource {
	case "attach", "exec", "portforward", "proxy":
		return true
	}
	return false
}

// portsOf returns the ports of a portforward.
func portsOf(q url.Values) ([]string, error) {
	var ports []string
	for _, list := range q["ports"] {
		for text := range strings.SplitSeq(list, ",") {
			n, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return nil, status.NewBadRequest("cannot convert to []int32: " + err.Error())
			}
			ports = append(ports, strconv.FormatUint(n, 10))
		}
	}
	return ports, nil
}

// connectOptions returns the options object of a request's parameters. For a proxy it has the path
// after it; ports are not part of it.
func connectOptions(r *http.Request, i *info) map[string]any {
	q, options := r.URL.Query(), map[string]any{}
	object.SetTypeMeta(options, i.sub.APIVersion(), i.sub.Kind)
	for _, f := range i.sub.Type().Fields {
		switch {
		case f.Name == "kind" || f.Name == "apiVersion" || !q.Has(f.Name):
		case f.Type.Kind == schema.Bool:
			options[f.Name] = boolParam(q, f.Name)
		case f.Type.Kind == schema.String:
			options[f.Name] = q.Get(f.Name)
		case f.Type.Kind == schema.List && f.Type.Elem.Kind == schema.String:
			options[f.Name] = object.ListOf(q[f.Name])
		}
	}
	if i.Subresource == "proxy" {
		options["path"] = behindProxy(r, i)
	}
	return options
}
