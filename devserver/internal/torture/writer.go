package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
)

const (
	ownKeys    = 4 // that each writer has for itself
	sharedKeys = 6
)

// A writer writes its own keys and some that all share. It outlives the servers.
type writer struct {
	id     int
	ledger *Ledger
	random *rand.Rand
	count  int
	// last is the last acknowledged version of each of its keys; the zero version for a deletion. uncertain are the
	// keys with a write of unknown outcome.
	last      map[string]Version
	uncertain map[string]bool
}

func newWriter(id int, l *Ledger, seed uint64) *writer {
	return &writer{id: id, ledger: l, random: rand.New(rand.NewPCG(seed, uint64(id))), last: map[string]Version{},
		uncertain: map[string]bool{}}
}

func (w *writer) name() string { return fmt.Sprintf("writer %d", w.id) }

// write writes until the server is gone or ctx ends.
func (w *writer) write(ctx context.Context, s *Server) {
	for ctx.Err() == nil && !s.Dead() {
		if err := w.step(s); err != nil {
			waitToRetry(ctx, s)
		}
	}
}

// A verb is a way to write.
type verb int

const (
	create verb = iota
	update
	merge
	apply
	remove
	dryRun
)

func (w *writer) step(s *Server) error {
	own := w.random.IntN(10) < 7
	key := fmt.Sprintf("%sshared-%d", prefix, w.random.IntN(sharedKeys))
	known := w.ledger.Latest(key)
	if own {
		key = fmt.Sprintf("%sw%d-%d", prefix, w.id, w.random.IntN(ownKeys))
		if w.uncertain[key] {
			if err := w.look(s, key); err != nil {
				return err
			}
		}
		known = w.last[key]
	}
	there := known.Revision != 0 && !known.Deleted
	var v verb
	switch {
	case !there:
		v = []verb{create, create, apply}[w.random.IntN(3)]
	default:
		v = []verb{update, update, update, merge, merge, apply, apply, remove, dryRun}[w.random.IntN(9)]
	}
	return w.send(s, v, key, known, own)
}

// look reads a key after a write of unknown outcome.
func (w *writer) look(s *Server, key string) error {
	a, err := s.do("GET", collection+"/"+key, "", "")
	if err != nil {
		return err
	}
	switch a.code {
	case http.StatusOK:
		v, err := parse(a.body)
		if err != nil {
			return err
		}
		w.ledger.Show(w.name(), v)
		w.last[key] = v
	case http.StatusNotFound:
		delete(w.last, key)
	default:
		return errStatus
	}
	delete(w.uncertain, key)
	return nil
}

func (w *writer) send(s *Server, v verb, key string, known Version, own bool) error {
	w.count++
	token := fmt.Sprintf("%d.%d", w.id, w.count)
	object := map[string]any{"apiVersion": "v1", "kind": "Secret",
		"data": map[string][]byte{"token": []byte(token), "filling": w.payload()}}
	meta := map[string]any{"name": key}
	if v == update {
		meta["resourceVersion"] = strconv.FormatInt(known.Revision, 10)
	}
	if v != merge && v != dryRun {
		object["metadata"] = meta
	}
	method, path, contentType := "PUT", collection+"/"+key, "application/json"
	switch v {
	case create:
		method, path = "POST", collection
	case merge, dryRun:
		method, contentType = "PATCH", "application/merge-patch+json"
		if v == dryRun {
			path += "?dryRun=All"
		}
	case apply:
		method, contentType = "PATCH", "application/apply-patch+yaml"
		path += fmt.Sprintf("?fieldManager=w%d&force=true", w.id)
	case remove:
		method = "DELETE"
		object = map[string]any{"preconditions": map[string]string{"uid": known.UID}}
	}
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	floor := w.ledger.Head()
	w.ledger.Attempt(token)
	if v == dryRun { // which must never be seen, whatever the answer
		w.ledger.Refuse(token)
	}
	a, err := s.do(method, path, contentType, string(body))
	if err != nil || a.code >= 500 || a.code == http.StatusTooManyRequests {
		if v != dryRun {
			w.ledger.Unanswered()
		}
		if own {
			w.uncertain[key] = true
		}
		return errStatus
	}
	if v == dryRun {
		return nil
	}
	return w.note(v, a, key, token, floor, known, own)
}

// note notes the answer to a write.
func (w *writer) note(v verb, a answer, key, token string, floor int64, known Version, own bool) error {
	switch {
	case a.code >= 300:
		w.ledger.Refuse(token)
		if own {
			w.ledger.add(Diverged, "%s, who alone writes %s and knows it as %v, is answered %d %s", w.name(), key, known, a.code,
				a.body)
			w.uncertain[key] = true
		}
		return nil
	case v == remove:
		w.ledger.AcknowledgeDeletion(key, known.UID)
		if own {
			delete(w.last, key)
		}
		return nil
	}
	got, err := parse(a.body)
	if err != nil {
		return err
	}
	w.ledger.Acknowledge(w.name(), token, got, floor)
	if own {
		w.last[key] = got
	}
	return nil
}

// payload returns data of different sizes, some of which let the log grow fast.
func (w *writer) payload() []byte {
	switch w.random.IntN(40) {
	case 0:
		return bytes.Repeat([]byte("x"), 60<<10)
	case 1, 2, 3:
		return bytes.Repeat([]byte("y"), 4<<10)
	}
	return bytes.Repeat([]byte("z"), w.random.IntN(200))
}
