//go:build js && wasm

package lab

import (
	"context"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// follow keeps the store of the wanted type by list and watch, as an informer
// does, until another is wanted.
func (p *objectsPanel) follow() {
	typ := p.Catalog.ByID(p.want)
	if typ == nil {
		return
	}
	if p.typ != nil && p.typ.ID() == typ.ID() && p.typ.Version == typ.Version {
		p.typ = typ
		return
	}
	if p.stop != nil {
		p.stop()
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.stop, p.typ, p.one, p.problem = cancel, typ, nil, ""
	p.store.Reset()
	p.seen.ToTop()
	p.RenderFunc(p.tools, p.drawTools)
	p.drawList()
	go p.inform(ctx, typ, typ.Collection(p.namespace))
}

func (p *objectsPanel) inform(ctx context.Context, typ *catalog.Resource, path string) {
	wait := 100 * time.Millisecond
	pause := func() {
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, 5*time.Second)
	}
	for ctx.Err() == nil {
		if !p.relist(ctx, path) {
			pause()
			continue
		}
		gone := false
		for ctx.Err() == nil && !gone {
			began := time.Now()
			status := 0
			var lines scan.Lines
			watch := path + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + strconv.FormatInt(p.store.Revision, 10)
			err := p.Stream(ctx, app.Request{Method: "GET", Path: watch, Quiet: true}, func(h app.Response) { status = h.Status }, func(s string) {
				if status != 200 || ctx.Err() != nil {
					return
				}
				lines.Feed(s, func(line string) {
					o, err := p.store.Event(line, time.Now())
					switch {
					case err != nil:
						gone = true
					case o != nil:
						p.changed(o)
					}
				})
			})
			if !typ.Can("watch") || status >= 400 {
				gone = true
			}
			if err != nil || time.Since(began) < time.Second {
				pause()
			} else {
				wait = 100 * time.Millisecond
			}
		}
	}
}

// relist reads the collection in pages.
func (p *objectsPanel) relist(ctx context.Context, path string) bool {
	token := ""
	for fresh := true; fresh || token != ""; fresh = false {
		u := path + "?limit=" + strconv.Itoa(pageSize)
		if token != "" {
			u += "&continue=" + token
		}
		res, err := p.Fetch(ctx, app.Request{Method: "GET", Path: u, Quiet: true})
		if ctx.Err() != nil || err != nil {
			return false
		}
		if res.Status != 200 {
			p.problem = strconv.Itoa(res.Status) + " " + app.Message(res.Body)
			p.store.Reset()
			p.drawList()
			return false
		}
		if err := p.store.List(res.Body, fresh); err != nil {
			p.problem = err.Error()
			return false
		}
		token = p.store.Continue
	}
	p.problem = ""
	p.drawList()
	return true
}
