package apiserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// A conversion is a kind of meta.k8s.io to which objects can be converted. The zero conversion
// leaves them as they are.
type conversion struct{ kind, version string }

const (
	kindTable       = "Table"
	kindPartial     = "PartialObjectMetadata"
	kindPartialList = "PartialObjectMetadataList"
)

// askedConversion returns the conversion in the parameters of a media range, if any.
func askedConversion(params map[string]string) (c conversion, asked bool) {
	kind, as := params["as"]
	group, g := params["g"]
	version, v := params["v"]
	if group == "meta.k8s.io" {
		c = conversion{kind, version}
	}
	return c, as || g || v
}

// known reports whether the conversion exists.
func (c conversion) known() bool {
	switch c.kind {
	case kindTable, kindPartial, kindPartialList:
		return c.version == "v1" || c.version == "v1beta1"
	}
	return false
}

// A converter converts objects, given as JSON, for one request.
type converter struct {
	conversion
	server *Server
	ctx    context.Context // of the request
	// include is the part of an object in a row of a Table.
	include string
	// headless omits the columns: only the first Table of a watch has them.
	headless bool
}

// converter returns the converter for the objects of the answer; nil if they are not converted. The
// error is a 400.
func (a *answer) converter() (*converter, error) {
	if a.as == (conversion{}) {
		return nil, nil
	}
	c := &converter{conversion: a.as, server: a.server, ctx: a.request.Context()}
	if a.as.kind == kindTable {
		c.include = a.request.URL.Query().Get("includeObject")
		switch c.include {
		case "", includeNone, includeMetadata, includeObject:
		default:
			return nil, status.NewBadRequest(fmt.Sprintf(unknownInclude, c.include))
		}
	}
	return c, nil
}

// convertedList answers with a converted collection.
func (a *answer) convertedList(c *converter, t *schema.Resource, l *registry.List, err error) error {
	if err != nil {
		return err
	}
	document, err := c.list(t, l)
	if err != nil {
		return err
	}
	a.send(http.StatusOK, append(document, '\n'))
	return nil
}

// object appends a single converted object. A Status is not converted.
func (c *converter) object(dst, value []byte) ([]byte, error) {
	if bytes.HasPrefix(value, []byte(`{"kind":"Status",`)) {
		return append(dst, value...), nil
	}
	if c.kind == kindPartialList {
		return nil, status.NewNotAcceptable(fmt.Sprintf("you requested PartialObjectMetadataList, but the requested "+
			"object is not a list (%s)", c.goType(value)))
	}
	if c.kind == kindTable {
		return c.table(dst, value)
	}
	return c.partial(dst, value), nil
}

// partial appends an object's metadata as an object.
func (c *converter) partial(dst, value []byte) []byte {
	dst = c.begin(dst, kindPartial)
	dst = append(dst, `,"metadata":`...)
	metadata := member(unhidden(value), "metadata")
	switch {
	case metadata == nil:
		dst = append(dst, "{}"...)
	case bytes.HasPrefix(value, []byte(`{"apiVersion":`)): // the fields of a custom resource have another order
		typed := schema.TypeOf("", "v1", "Namespace").Field("metadata").Type
		meta, _, _ := object.Decode(metadata, typed) // it is known to be valid
		dst = object.Encode(dst, meta, typed)
	default:
		dst = append(dst, metadata...)
	}
	return append(dst, '}')
}

// hidden are, by kind, the annotations in which a version keeps fields that it lacks. The real
// server makes the metadata from a version that has the fields.
var hidden = map[string][]string{
	"DaemonSet":  {"deprecated.daemonset.template.generation"},
	"Deployment": {"deprecated.deployment.rollback.to"},
	"HorizontalPodAutoscaler": {
		"autoscaling.alpha.kubernetes.io/behavior", "autoscaling.alpha.kubernetes.io/conditions",
		"autoscaling.alpha.kubernetes.io/current-metrics", "autoscaling.alpha.kubernetes.io/metrics",
	},
}

// unhidden returns an object without its hidden annotations.
func unhidden(value []byte) []byte {
	names := hidden[string(bytes.Trim(member(value, "kind"), `"`))]
	if names == nil {
		return value
	}
	is := typeOf(value)
	t := schema.TypeOf(is.group, is.version, is.kind)
	if t == nil {
		return value // a custom resource of that name
	}
	obj, _, _ := object.Decode(value, t) // it is known to be valid
	for _, name := range names {
		object.RemoveNested(obj, "metadata", "annotations", name)
	}
	if len(object.GetMap(obj, "metadata", "annotations")) == 0 {
		object.RemoveNested(obj, "metadata", "annotations")
	}
	return object.Encode(nil, obj, t)
}

// begin appends the beginning of an object of the conversion's version.
func (c *converter) begin(dst []byte, kind string) []byte {
	dst = append(dst, `{"kind":`...)
	dst = strconv.AppendQuote(dst, kind)
	dst = append(dst, `,"apiVersion":"meta.k8s.io/`...)
	dst = append(dst, c.version...)
	return append(dst, '"')
}

// list makes the document of a collection.
func (c *converter) list(t *schema.Resource, l *registry.List) ([]byte, error) {
	switch c.kind {
	case kindTable:
		return c.tableOfList(t, l)
	case kindPartial:
		return nil, status.NewNotAcceptable(fmt.Sprintf("you requested PartialObjectMetadata, "+
			"but the requested object is a list (%s)", goType(t, "UnstructuredList", t.ListKind)))
	}
	b := c.begin(make([]byte, 0, 1<<10), kindPartialList)
	b = appendListMeta(append(b, `,"metadata":`...), l)
	if len(l.Items) == 0 {
		return append(b, `,"items":null}`...), nil
	}
	b = append(b, `,"items":[`...)
	for i, item := range l.Items {
		if i > 0 {
			b = append(b, ',')
		}
		if err := c.server.Registry.Pause(c.ctx); err != nil {
			return nil, err
		}
		start := len(b)
		if b = c.partial(b, item); i == 0 { // the others are likely to be as long, and no longer than all of each
			all := 0
			for _, item := range l.Items {
				all += len(item)
			}
			b = slices.Grow(b, min(all, len(l.Items)*(len(b)-start+len(",]}\n"))))
		}
	}
	return append(b, `]}`...), nil
}

// goType returns the name of an object's type in errors.
func (c *converter) goType(value []byte) string {
	is := typeOf(value)
	if t := c.server.Table.ByKind(is.group, is.version, is.kind); t != nil {
		return goType(t, "Unstructured", t.Kind)
	}
	return "*" + schema.InternalPackage(is.group) + "." + is.kind
}

// goType returns the name of a resource's type in errors: kind, or for custom resources an untyped
// one.
func goType(t *schema.Resource, untyped, kind string) string {
	if t.Type() == nil {
		return "*unstructured." + untyped
	}
	return "*" + schema.InternalPackage(t.Storage().Group) + "." + kind
}

// typeOf reads the apiVersion and kind of a stored object.
func typeOf(value []byte) (is typeOfDocument) {
	apiVersion, kind, _ := object.TypeMeta(value) // it is known to be valid
	is.kind = kind
	is.group, is.version = object.SplitGroupVersion(apiVersion)
	return is
}

// event returns a converted object of an event in a watch; io.EOF if it cannot be converted, which
// ends the watch. The object of an ERROR stays a Status.
func (c *converter) event(e registry.WatchEvent) ([]byte, error) {
	if e.Type == registry.Error {
		return e.Object, nil
	}
	switch c.kind {
	case kindPartialList:
		return nil, io.EOF // an object is no list
	case kindTable:
		return c.tableOfEvent(e)
	}
	return e.Memo(c.conversion, func() []byte { return c.partial(nil, e.Object) }), nil
}
