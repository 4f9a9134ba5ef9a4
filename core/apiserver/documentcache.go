package apiserver

import (
	"container/list"
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/tabernetes/tabernetes/core/openapi"
)

// documents has the OpenAPI documents of all servers of the process. Most are the same for all of them, and what is
// made of it takes more than the document: so each is made once, and of those of about the same length one at a time.
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
	// turns are taken by who makes a document: one that is not long, and a long one. So nobody waits for a much
	// longer one that somebody else asks for.
	turns [2]chan struct{}

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

// A wanted document is one that somebody asks for. Equal keys are for equal documents.
type wanted struct {
	key string
	// length is about how long it is, in bytes, apart from what all servers have.
	length int64
	// wait waits until there is memory for it, before its turn, and make makes it.
	wait func() error
	make func() (openapi.Text, error)
}

// longDocument is the length from which on a document is long, in bytes. Those of a cluster with 200 types of custom
// resources are not.
const longDocument = 4 << 20

// A making is a document that is being made, or waits for its turn. Those who ask for it meanwhile get it
// too.
type making struct {
	done chan struct{}
	text openapi.Text
	err  error
}

func newDocumentCache(most int) *documentCache {
	return &documentCache{most: most, turns: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)},
		made: map[string]*list.Element{}, making: map[string]*making{}}
}

// errGivenUp is the error of a document whose maker's client has left.
var errGivenUp = errors.New("apiserver: the document was not made")

// get returns a document, and makes it if it is not there.
func (d *documentCache) get(ctx context.Context, w wanted) (openapi.Text, error) {
	for {
		text, m, mine := d.find(w.key)
		if m == nil {
			return text, nil
		}
		if mine {
			if err := d.run(ctx, w, m); err != nil {
				return nil, err
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

// run waits for its turn and makes a document. The error is why it was given up; if it was, or make panics, one of the
// others who wait makes it.
func (d *documentCache) run(ctx context.Context, w wanted, m *making) error {
	defer d.end(w.key, m)
	if err := w.wait(); err != nil {
		return err
	}
	turn := d.turns[0]
	if w.length > longDocument {
		turn = d.turns[1]
	}
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-turn }()
	m.text, m.err = w.make()
	return nil
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
