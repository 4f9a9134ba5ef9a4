package apiserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/tabernetes/tabernetes/core/audit"
)

// raw answers 200 with a document that exists only as indented JSON.
func (a *answer) raw(v any) error {
	b, err := json.Marshal(v)
	a.media, a.pretty = mediaJSON, true
	a.send(http.StatusOK, append(b, '\n'))
	return err
}

// object answers 200 with a document of the server itself, in one of the offered media types.
func (a *answer) object(v any, offered []mediaType) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := a.choose(offered, false); err != nil {
		return err
	}
	a.send(http.StatusOK, append(b, '\n'))
	return nil
}

// send writes a JSON document in the negotiated representation.
func (a *answer) send(code int, document []byte) { a.sendWith(code, document, "") }

// sendWith sends a document whose media type has parameters: ";name=value".
func (a *answer) sendWith(code int, document []byte, params string) {
	audit.Of(a.request.Context()).Answered(document)
	media := mediaJSON
	if encoded, ok := a.media.encode(document); ok {
		document, media = encoded, a.media
	} else if a.pretty {
		document = bytes.TrimSpace(indent(make([]byte, 0, 2*len(document)), document))
	}
	a.held.less(int64(cap(document))) // a slow client keeps no more than this
	a.set("Content-Type", string(media)+params)
	a.set("Content-Length", strconv.Itoa(len(document)))
	a.WriteHeader(code)
	if a.request.Method != http.MethodHead {
		a.Write(document)
	}
}

// stored answers with an object's stored bytes, or with their conversion.
func (a *answer) stored(code int, value []byte) error {
	c, err := a.converter()
	if err != nil {
		return err
	}
	if err := a.toShow(c != nil, int64(len(value))); err != nil {
		return err
	}
	buffer := buffers.Get().(*[]byte)
	document := (*buffer)[:0]
	if c == nil {
		document = append(document, value...)
	} else if document, err = c.object(document, value); err != nil {
		return err
	}
	document = append(document, '\n')
	a.send(code, document)
	if cap(document) <= maxBuffer {
		*buffer = document
		buffers.Put(buffer)
	}
	return nil
}

// buffers is a pool of buffers for encoding objects; those of more than maxBuffer bytes are not
// kept. The get of BenchmarkRequests in core shows its worth: 6 KB instead of 9.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxBuffer = 64 << 10
