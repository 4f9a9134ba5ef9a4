package apiserver

import (
	"errors"
	"net/http"

	"github.com/tabernetes/tabernetes/core/internal/kinds/extension"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// unknown answers a request with an unknown path. In the groups of custom resources it is a plain
// 404.
func (s *Server) unknown(w *answer, r *http.Request, group string, err error) error {
	var e *status.Error
	if !errors.As(err, &e) || e.Status.Reason != status.NotFound || e.Status.Details.Kind != "" {
		return err
	}
	g, ok := s.Table.Group(group)
	if !ok {
		return err
	}
	if rows := s.Table.GroupVersion(group, g.Versions[0]); len(rows) > 0 && rows[0].Custom == nil {
		return err
	}
	http.NotFound(w, r)
	return nil
}

// customRow returns the row of the custom resource that is expected in a body; nil for any other
// type.
func (s *Server) customRow(want expected) *schema.Resource {
	if want.schema != nil {
		return nil
	}
	if row := s.Table.ByKind(want.group, want.version, want.kind); row != nil && row.Custom != nil {
		return row
	}
	return nil
}

// decodeCustom decodes a document to a custom object. Its metadata are those of any object; other
// fields that the schema of its version does not know are dropped, which is a problem to report,
// and defaults are set. An undefined version knows no fields. A document of another kind is left as
// it is.
func decodeCustom(document []byte, is typeOfDocument, row *schema.Resource) (obj map[string]any, problems []string,
	err error) {
	obj, problems, err = object.Decode(document, nil)
	if err != nil {
		return nil, nil, err
	}
	unknown, err := extension.TypeMetadata(obj)
	if err != nil {
		return nil, nil, err
	}
	problems = append(problems, unknown...)
	if is.group == row.Group && is.kind == row.Kind {
		var s *structural.Schema
		if form := row.Form(is.apiVersion()); form != nil {
			s = form.Custom.Schema
		}
		for _, path := range structural.Prune(obj, s) {
			problems = append(problems, `unknown field "`+path+`"`)
		}
		within, wrong := extension.CoerceEmbedded(obj, s, "")
		if wrong != nil {
			return nil, nil, wrong
		}
		problems = append(problems, within...)
		structural.Default(obj, s)
	}
	object.SetTypeMeta(obj, is.apiVersion(), is.kind)
	return obj, problems, nil
}
