package apiserver

import (
	"container/list"
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/tabernetes/tabernetes/core/openapi"
)

// documents has the OpenAPI documents of all servers of the process. Most are the same for all of them, and a
// document takes many times its length while it is made: so each is made once, one at a time.
var documents = newDocumentCache(documentBytes())

// DocumentBytes is how much memory the OpenAPI documents of all servers of a process may take, in bytes.
const DocumentBytes = 32 << 20

// documentBytes returns DocumentBytes, or less in a tab and at the edge.
func documentBytes() int {
	if runtime.GOARCH == "wasm" {
		return DocumentBytes / 4
	}
	return DocumentBytes
}

// A documentCache keeps the documents that were asked for last, up to a number of bytes.
type documentCache struct {
	most int
	// turn is taken by who makes a document.
	turn chan struct{}

	mu     sync.Mutex
	made   map[string]*list.Element
	recent list.List // of document, the latest first
	size   int
	making map[string]*making
}

type document struct {
	key  string
	text openapi.Text
}

// A making is a document that is being made, or waits for its turn. Whoever asks for it meanwhile gets it
// too.
type making struct {
	done chan struct{}
	text openapi.Text
	err  error
}

func newDocumentCache(most int) *documentCache {
	return &documentCache{most: most, turn: make(chan struct{}, 1), made: map[string]*list.Element{},
		making: map[string]*making{}}
}

// errGivenUp is the error of a document whose maker's client has left.
var errGivenUp = errors.New("apiserver: the document was not made")

// get returns a document, which make makes if it is not there. Equal keys are for equal documents.
func (d *documentCache) get(ctx context.Context, key string, make func() (openapi.Text, error)) (openapi.Text, error) {
	for {
		text, m, mine := d.find(key)
		if m == nil {
			return text, nil
		}
		if mine {
			if d.run(ctx, key, m, make); m.err == errGivenUp {
				return nil, ctx.Err()
			}
			return m.text, m.err
		}
		select {
		case <-m.done:
			if m.err != errGivenUp {
				return m.text, m.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// find returns a document; or its making, and whether that is the caller's.
func (d *documentCache) find(key string) (text openapi.Text, m *making, mine bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.made[key]; e != nil {
		d.recent.MoveToFront(e)
		return e.Value.(document).text, nil, false
	}
	if m = d.making[key]; m != nil {
		return nil, m, false
	}
	m = &making{done: make(chan struct{}), err: errGivenUp}
	d.making[key] = m
	return nil, m, true
}

// run waits for its turn and makes a document. If make panics, others who wait make it anew.
func (d *documentCache) run(ctx context.Context, key string, m *making, make func() (openapi.Text, error)) {
	defer d.end(key, m)
	select {
	case d.turn <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-d.turn }()
	m.text, m.err = make()
}

func (d *documentCache) end(key string, m *making) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.making, key)
	close(m.done)
	length := m.text.Len()
	if m.err != nil || length > d.most {
		return
	}
	d.made[key] = d.recent.PushFront(document{key, m.text})
	for d.size += length; d.size > d.most; {
		last := d.recent.Remove(d.recent.Back()).(document)
		delete(d.made, last.key)
		d.size -= last.text.Len()
	}
}
