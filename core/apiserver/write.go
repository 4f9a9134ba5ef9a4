package apiserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// object answers 200 with a document of the server's own.
func (a *answer) object(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := a.negotiate(served); err != nil {
		return err
	}
	a.send(http.StatusOK, append(b, '\n'))
	return nil
}

// send writes a JSON document in the negotiated representation.
func (a *answer) send(code int, document []byte) {
	media := mediaJSON
	switch {
	case a.media == mediaYAML:
		if converted, err := yaml.JSONToYAML(document); err == nil {
			document, media = converted, mediaYAML
		}
	case a.pretty:
		document = indent(make([]byte, 0, 2*len(document)), document)
	}
	a.Header().Set("Content-Type", string(media))
	a.Header().Set("Content-Length", strconv.Itoa(len(document)))
	a.WriteHeader(code)
	if a.request.Method != http.MethodHead {
		a.Write(document)
	}
}

// stored answers with an object's bytes.
func (a *answer) stored(code int, value []byte) error {
	document := make([]byte, 0, len(value)+1)
	a.send(code, append(append(document, value...), '\n'))
	return nil
}

// list answers with a collection: the stored bytes of its objects, joined.
func (a *answer) list(t *schema.Resource, l *registry.List) error {
	size := 256 + len(l.Continue)
	for _, item := range l.Items {
		size += len(item) + 1
	}
	buffer := buffers.Get().(*[]byte)
	b := slices.Grow((*buffer)[:0], size)
	b = append(b, `{"kind":`...)
	b = strconv.AppendQuote(b, t.ListKind)
	b = append(b, `,"apiVersion":`...)
	b = strconv.AppendQuote(b, t.APIVersion())
	b = append(b, `,"metadata":{"resourceVersion":"`...)
	b = strconv.AppendInt(b, l.Revision, 10)
	b = append(b, '"')
	if l.Continue != "" {
		b = append(b, `,"continue":`...)
		b = strconv.AppendQuote(b, l.Continue)
		if l.Remaining >= 0 {
			b = append(b, `,"remainingItemCount":`...)
			b = strconv.AppendInt(b, int64(l.Remaining), 10)
		}
	} else if t.Type() == nil {
		b = append(b, `,"continue":""`...) // as lists of custom resources have it
	}
	b = append(b, `},"items":[`...)
	prefix := []byte(`{"kind":` + strconv.Quote(t.Kind) + `,"apiVersion":` + strconv.Quote(t.APIVersion()) + `,`)
	for i, item := range l.Items {
		if i > 0 {
			b = append(b, ',')
		}
		// The items of built-in lists do not repeat their kind.
		if t.Type() != nil && bytes.HasPrefix(item, prefix) {
			b = append(b, '{')
			item = item[len(prefix):]
		}
		b = append(b, item...)
	}
	b = append(b, "]}\n"...)
	a.send(http.StatusOK, b)
	if cap(b) <= maxPooled {
		*buffer = b
		buffers.Put(buffer)
	}
	return nil
}

// buffers are lists' bodies between requests: a writer may not keep what it is
// given, so they can be used again.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the greatest buffer that is kept, in bytes.
const maxPooled = 4 << 20
