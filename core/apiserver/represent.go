package apiserver

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// A conversion is a kind of meta.k8s.io that objects can be shown as. The zero
// conversion shows them as they are.
type conversion struct{ kind, version string }

const (
	kindTable       = "Table"
	kindPartial     = "PartialObjectMetadata"
	kindPartialList = "PartialObjectMetadataList"
)

// askedConversion is what the parameters of a media range ask for, if they do.
func askedConversion(params map[string]string) (c conversion, asked bool) {
	kind, as := params["as"]
	group, g := params["g"]
	version, v := params["v"]
	if group == "meta.k8s.io" {
		c = conversion{kind, version}
	}
	return c, as || g || v
}

// known says whether there is such a conversion.
func (c conversion) known() bool {
	switch c.kind {
	case kindTable, kindPartial, kindPartialList:
		return c.version == "v1" || c.version == "v1beta1"
	}
	return false
}

// A converter shows objects, given as JSON, as a request's conversion asks.
type converter struct {
	conversion
	server *Server
}

// converter returns what converts the objects of the answer; nil if they are to be
// shown as they are.
func (a *answer) converter() (*converter, error) {
	if a.as == (conversion{}) {
		return nil, nil
	}
	return &converter{a.as, a.server}, nil
}

// convertedList answers with a collection as it is to be shown.
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

// object adds a single object as it is to be shown. A Status stays one.
func (c *converter) object(dst, value []byte) ([]byte, error) {
	if bytes.HasPrefix(value, []byte(`{"kind":"Status",`)) {
		return append(dst, value...), nil
	}
	if c.kind == kindPartialList {
		return nil, status.NewNotAcceptable(fmt.Sprintf("you requested PartialObjectMetadataList, but the requested object is not a list (%s)", c.goType(value)))
	}
	return c.partial(dst, value), nil
}

// partial adds an object's metadata as an object.
func (c *converter) partial(dst, value []byte) []byte {
	dst = c.begin(dst, kindPartial)
	dst = append(dst, `,"metadata":`...)
	if metadata := member(value, "metadata"); metadata != nil {
		dst = append(dst, metadata...)
	} else {
		dst = append(dst, "{}"...)
	}
	return append(dst, '}')
}

// begin adds the head of an object of the conversion's version.
func (c *converter) begin(dst []byte, kind string) []byte {
	dst = append(dst, `{"kind":`...)
	dst = strconv.AppendQuote(dst, kind)
	dst = append(dst, `,"apiVersion":"meta.k8s.io/`...)
	dst = append(dst, c.version...)
	return append(dst, '"')
}

// list makes the document of a collection.
func (c *converter) list(t *schema.Resource, l *registry.List) ([]byte, error) {
	if c.kind == kindPartial {
		return nil, status.NewNotAcceptable(fmt.Sprintf("you requested PartialObjectMetadata, but the requested object is a list (%s)", goType(t, "UnstructuredList", t.ListKind)))
	}
	b := c.begin(make([]byte, 0, 1<<10), kindPartialList)
	b = appendListMeta(append(b, `,"metadata":`...), l)
	b = append(b, `,"items":[`...)
	for i, item := range l.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = c.partial(b, item)
	}
	return append(b, `]}`...), nil
}

// goType is the name that errors give to the type of an object.
func (c *converter) goType(value []byte) string {
	is := typeOf(value)
	if t := c.server.Table.ByKind(is.group, is.version, is.kind); t != nil {
		return goType(t, "Unstructured", t.Kind)
	}
	return "*" + goPackage(is.group) + "." + is.kind
}

// goType is the name that errors give to a type of a resource: kind, or if it is
// not Kubernetes' own untyped.
func goType(t *schema.Resource, untyped, kind string) string {
	if t.Type() == nil {
		return "*unstructured." + untyped
	}
	return "*" + goPackage(t.Storage().Group) + "." + kind
}

// typeOf reads what a stored object says it is.
func typeOf(value []byte) (is typeOfDocument) {
	apiVersion, kind, _ := object.TypeMeta(value) // it is known to be good
	is.kind = kind
	is.group, is.version = splitGroupVersion(apiVersion)
	return is
}

// event returns an event's object as it is to be shown in a watch; io.EOF if that
// cannot be, which ends the watch. The object of an ERROR stays a Status.
func (c *converter) event(e registry.WatchEvent) ([]byte, error) {
	if e.Type == registry.Error {
		return e.Object, nil
	}
	if c.kind == kindPartialList {
		return nil, io.EOF // an object is no list
	}
	return e.Memo(c.conversion, func() []byte { return c.partial(nil, e.Object) }), nil
}

// member returns the text of a member of a JSON object, nil if there is none. It
// relies on the object being valid and compact, as everything that is stored is.
func member(document []byte, name string) []byte {
	for i := 1; i < len(document) && document[i] == '"'; i++ {
		colon := skipText(document, i)
		end := skipValue(document, colon+1)
		if string(document[i+1:colon-1]) == name {
			return document[colon+1 : end]
		}
		i = end
	}
	return nil
}

// skipText returns where the string that begins at i ends.
func skipText(document []byte, i int) int {
	for i++; document[i] != '"'; i++ {
		if document[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue returns where the value that begins at i ends.
func skipValue(document []byte, i int) int {
	for depth := 0; ; {
		switch document[i] {
		case '"':
			i = skipText(document, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1 + min(0, depth)
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
}
