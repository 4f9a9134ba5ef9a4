package objects

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	// pageSize is how many objects are read at a time.
	pageSize = 500
	// attempts are made to read a list whose revision is compacted meanwhile.
	attempts = 5
	// countAfter delays counting, so that the page starts with what is seen first.
	countAfter = 300 * time.Millisecond
	// refreshAfter is how soon rows that change all the time are read again.
	refreshAfter = 500 * time.Millisecond
)

// Metadata alone, of a list and of one object.
const (
	listMetadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	metadata     = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
)

// readings are those of something that is read again when it has changed, one at a time.
type readings struct{ busy, again bool }

// ask asks for a reading, and reports whether the caller has to read, as long as next says so; else the one who reads
// does it.
func (r *readings) ask() bool {
	if r.again = true; r.busy {
		return false
	}
	r.busy = true
	return true
}

// next reports whether there is to be another reading; else the readings have ended.
func (r *readings) next(wanted bool) bool {
	if r.busy = r.again && wanted; r.busy {
		r.again = false
	}
	return r.busy
}

// get reads quietly.
func (p *panel) get(path, accept string, header ...tap.Field) (app.Response, error) {
	header = append(header, tap.Field{Name: "Accept", Value: accept})
	return p.Fetch(context.Background(), app.Request{Method: "GET", Path: path, Header: header, Quiet: true})
}

// pages reads a collection as of one revision, in the first form that accept names, and calls page with each page. No
// read waits for a late cache: it asks the API server whose cache is ahead of the others, as of a revision that this
// one has. What came since is known from the commits. It blocks.
func (p *panel) pages(path, accept string, limit int,
	page func(body string, first bool) (token string, err error)) error {
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	for attempt := 1; ; attempt++ {
		next, server := p.ahead()
		if attempt > 1 { // that revision is compacted: the present, for which a late cache is waited for
			next = ""
		}
		var refused app.Response
		for first := true; first || next != ""; first = false {
			res, err := p.get(path+sep+"limit="+strconv.Itoa(limit)+next, accept, server...)
			if err != nil {
				return err
			}
			if res.Status != http.StatusOK {
				refused = res
				break
			}
			token, err := page(res.Body, first)
			if err != nil {
				return err
			}
			if next = ""; token != "" {
				next = "&continue=" + token
			}
		}
		switch {
		case refused.Status == 0:
			return nil
		case refused.Status != http.StatusGone || attempt == attempts:
			return refusal{refused}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// ahead returns the query that asks for the newest revision that a cache has, and the header that selects the API
// server with that cache.
func (p *panel) ahead() (query string, server []tap.Field) {
	caches := p.Seen.State.Caches
	at, best := p.Seen.Head, 0
	if len(caches) > 0 {
		at = caches[0]
		for i, c := range caches {
			if c > at {
				at, best = c, i
			}
		}
	}
	if len(caches) > 1 {
		server = []tap.Field{{Name: wellknown.ReplicaHeader, Value: strconv.Itoa(best)}}
	}
	return "&resourceVersion=" + strconv.FormatInt(at, 10), server
}

// refusal is the error of a read that the API server refused.
type refusal struct{ app.Response }

func (r refusal) Error() string {
	return strconv.Itoa(r.Status) + " " + app.Message(r.Body)
}

// read reads the objects of a type that has been opened.
func (p *panel) read(b *objects.Branch) {
	typ := p.Catalog.ByID(b.Type.ID)
	if typ == nil {
		return
	}
	asked, namespace := p.reading, p.tree.Counts.Namespace
	go func() {
		err := p.pages(typ.Collection(namespace), listMetadata, pageSize, func(body string, first bool) (string, error) {
			if first {
				b.Begin()
			}
			more, err := b.Page(body)
			if err == nil && !more && p.reading == asked {
				objects.After(&p.Seen.Commits, b.Revision, b.Type.ID, namespace,
					func(m revisions.Commit) { b.Commit(&m, time.Time{}) })
			}
			p.draw()
			return b.Continue, err
		})
		if err != nil {
			b.Problem = "They cannot be read: " + err.Error()
		}
		p.draw()
	}()
}

// count asks how many objects each type has, one type after the other, once the
// panel is in view.
func (p *panel) count() {
	if !p.shown || p.Seen.Head == 0 {
		return
	}
	if p.recount = true; p.counting {
		return
	}
	p.counting = true
	go func() {
		time.Sleep(countAfter)
		for p.recount {
			p.recount = false
			for _, y := range p.tree.Types() {
				p.countType(y.ID)
				if p.recount {
					break // there are other types, or it is another namespace or cluster
				}
			}
		}
		p.counting = false
		p.draw()
	}()
}

// countType asks how many objects a type has, if that is not known. It blocks.
func (p *panel) countType(id string) {
	typ := p.Catalog.ByID(id)
	if typ == nil || !p.tree.Counts.Ask(id) {
		return
	}
	asked := p.reading
	err := p.pages(typ.Collection(p.tree.Counts.Namespace), listMetadata, 1, func(body string, _ bool) (string, error) {
		n, at, err := objects.Counted(body)
		if err == nil && p.reading == asked {
			p.tree.Counts.Listed(id, n, at, &p.Seen.Commits)
		}
		return "", err
	})
	if err != nil && p.reading == asked {
		p.tree.Counts.Failed(id)
	}
	p.draw()
}

// refresh reads the metadata of those visible objects of a type again that have
// changed: a commit does not say whether an object is being deleted.
func (p *panel) refresh(id string) {
	if p.refreshing {
		return
	}
	p.refreshing = true
	asked := p.reading
	go func() {
		defer func() { p.refreshing = false }()
		typ := p.Catalog.ByID(id)
		for b := p.tree.Branch(id); typ != nil && b != nil && p.reading == asked; {
			var stale []*objects.Object
			from, to, _, _ := p.seen.Rows(p.tree.Len())
			for i := from; i < to; i++ {
				if n := p.tree.At(i); n.Object != nil && n.Object.Stale && n.Type.ID == id {
					stale = append(stale, n.Object)
				}
			}
			if len(stale) == 0 {
				break
			}
			for _, o := range stale {
				res, err := p.get(typ.Object(o.Namespace, o.Name), metadata)
				if err != nil || p.reading != asked || res.Status != http.StatusOK && res.Status != http.StatusNotFound {
					return
				}
				if res.Status == http.StatusOK { // otherwise its deletion is on its way
					b.Refresh(res.Body)
				}
			}
			p.draw()
			time.Sleep(refreshAfter)
		}
	}()
}
