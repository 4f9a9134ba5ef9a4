package apiserver

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"

	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// list answers with a collection: the stored bytes of its objects, joined, or their conversions.
// JSON is sent piece by piece, so that a large list is never in memory as a whole.
func (a *answer) list(t *schema.Resource, l *registry.List) error {
	c, err := a.converter()
	d := newListDocument(t, l, a.shard)
	asWhole := c != nil || a.media != mediaJSON || a.pretty && d.size <= pieceSize
	if err == nil && asWhole {
		err = a.toShow(c != nil, int64(d.size))
	}
	if c != nil || err != nil {
		return a.convertedList(c, t, l, err)
	}
	if a.media == mediaJSON && a.pretty && d.size > pieceSize {
		a.prettyList(d)
		return nil
	}
	if a.media != mediaJSON || a.pretty {
		whole := make([]byte, 0, d.size)
		d.each(func(part []byte) { whole = append(whole, part...) })
		a.send(http.StatusOK, whole)
		return nil
	}
	a.set("Content-Type", string(mediaJSON))
	a.set("Content-Length", strconv.Itoa(d.size))
	a.WriteHeader(http.StatusOK)
	if a.request.Method == http.MethodHead {
		return nil
	}
	var piece []byte
	if a.held.try(pieceSize) {
		pooled := pieces.Get().(*[pieceSize]byte)
		defer pieces.Put(pooled)
		piece = pooled[:]
	} else { // slow clients hold the others: this client does not wait for them
		piece = make([]byte, smallPiece)
	}
	b := piece[:0]
	d.each(func(part []byte) {
		if len(b)+len(part) > len(piece) {
			a.Write(b)
			b = piece[:0]
		}
		if len(part) > len(piece) {
			a.Write(part)
			return
		}
		b = append(b, part...)
	})
	a.Write(b)
	return nil
}

// prettyList answers with a large collection, indented piece by piece. Its length is not known
// before, so it has no Content-Length, as in the real server.
func (a *answer) prettyList(d *listDocument) {
	a.Header().Set("Content-Type", string(mediaJSON))
	a.WriteHeader(http.StatusOK)
	d.end = bytes.TrimSuffix(d.end, []byte("\n"))
	in, size := new(indenter), pieceSize
	if !a.held.try(2 * pieceSize) {
		size = smallPiece
	}
	b := make([]byte, 0, 2*size)
	d.each(func(part []byte) {
		if b = in.append(b, part); len(b) > size {
			a.Write(b)
			b = b[:0]
		}
	})
	a.Write(b)
}

// pieceSize is the number of bytes of a list that are written at a time: enough for few system
// calls, and little enough to stay in the processor's cache. It is smallPiece while memory is short.
const (
	pieceSize  = 256 << 10
	smallPiece = 16 << 10
)

// pieces is a pool of buffers: a writer may not keep what it is given. The list of BenchmarkRequests in core
// shows its worth: half the memory, and two thirds of the time.
var pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// A listDocument is a collection as JSON, in parts that are not joined yet.
type listDocument struct {
	head, end []byte
	// kind is the text with which each stored item begins and which the list omits; nil if items are
	// complete.
	kind  []byte
	items [][]byte
	size  int // in bytes
}

// newListDocument returns the document of a list; shard is the selector of shards that it was read with, if any, which
// lists of custom resources do not show.
func newListDocument(t *schema.Resource, l *registry.List, shard string) *listDocument {
	kind, apiVersion := strconv.Quote(t.ListKind), strconv.Quote(t.APIVersion())
	d := &listDocument{items: l.Items}
	if t.Type() == nil { // lists of custom resources have their fields in the order of their names
		d.head = []byte(`{"apiVersion":` + apiVersion + `,"items":[`)
		d.end = append(appendUntypedListMeta([]byte(`],"kind":`+kind+`,"metadata":`), l), "}\n"...)
	} else {
		d.head = appendListMeta([]byte(`{"kind":`+kind+`,"apiVersion":`+apiVersion+`,"metadata":`), l)
		if shard != "" {
			d.head = append(d.head[:len(d.head)-1], `,"shardInfo":{"selector":`+strconv.Quote(shard)+`}}`...)
		}
		d.head = append(d.head, `,"items":[`...)
		d.end = []byte("]}\n")
		d.kind = []byte(`{"kind":` + strconv.Quote(t.Kind) + `,"apiVersion":` + apiVersion + `,`)
		d.size -= len(d.items) * (len(d.kind) - len("{"))
	}
	d.size += len(d.head) + len(d.end) + max(0, len(l.Items)-1)
	for _, item := range d.items { // whose bytes have not been read yet: that is most of the cost
		d.size += len(item)
	}
	return d
}

// each calls f with the parts of the document, in order. It panics if an item of a built-in type is
// of another kind, which the registry prevents.
func (d *listDocument) each(f func([]byte)) {
	f(d.head)
	before := []byte(",{")
	if d.kind == nil {
		before = before[:1]
	}
	for i, item := range d.items {
		if !bytes.HasPrefix(item, d.kind) {
			panic("apiserver: a list has an item that is not of its kind")
		}
		if i == 0 {
			f(before[1:])
		} else {
			f(before)
		}
		f(item[len(d.kind):])
	}
	f(d.end)
}

// appendListMeta appends the metadata of a collection.
func appendListMeta(b []byte, l *registry.List) []byte {
	if l.Revision == 0 { // of what is not stored
		return append(b, "{}"...)
	}
	b = append(b, `{"resourceVersion":"`...)
	b = strconv.AppendInt(b, l.Revision, 10)
	b = append(b, '"')
	if l.Continue != "" {
		b = append(b, `,"continue":`...)
		b = strconv.AppendQuote(b, l.Continue)
		if l.Remaining >= 0 {
			b = append(b, `,"remainingItemCount":`...)
			b = strconv.AppendInt(b, int64(l.Remaining), 10)
		}
	}
	return append(b, '}')
}

// appendUntypedListMeta is appendListMeta for lists of custom resources.
func appendUntypedListMeta(b []byte, l *registry.List) []byte {
	b = strconv.AppendQuote(append(b, `{"continue":`...), l.Continue)
	if l.Continue != "" && l.Remaining >= 0 {
		b = strconv.AppendInt(append(b, `,"remainingItemCount":`...), int64(l.Remaining), 10)
	}
	b = strconv.AppendInt(append(b, `,"resourceVersion":"`...), l.Revision, 10)
	return append(b, `"}`...)
}
