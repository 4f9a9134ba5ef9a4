//go:build js && wasm

package lab

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/revisions/scan"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/ui"
)

func init() { panels = append(panels, startObjects) }

const (
	pageSize = 500
	freshFor = 1500 * time.Millisecond
)

// objectsPanel lists the objects of one type, kept by list and watch.
type objectsPanel struct {
	*App
	list, tools *dom.Element
	typ         *catalog.Resource
	want        string // the ID of the type to show
	namespace   string
	store       objects.Store
	stop        context.CancelFunc
	problem     string
	seen        *window
	fading      bool

	one *oneObject
}

// oneObject is the object whose text and history are shown.
type oneObject struct {
	ref             string
	typ             *catalog.Resource
	namespace, name string
	view            string
	versions        []*version // oldest first
	json            string     // as it is, or was when it was deleted
	gone            bool
	problem         string
}

// version is a commit of the object; its text is fetched when it is asked for.
type version struct {
	revisions.Commit
	open    bool
	fetched bool
	busy    bool
	json    string
	problem string
}

func startObjects(a *App) {
	p := &objectsPanel{App: a, list: a.Doc.GetElementByID("objects"), tools: a.Doc.GetElementByID("objects-tools"), want: "pods"}
	p.seen = a.newWindow(p.list)
	commits := &commitLog{}
	a.Seen.changed = append(a.Seen.changed, p.catalogChanged)
	a.RenderFunc(p.tools, p.drawTools)
	cluster := ""
	a.OnFrame(func(f revisions.Frame) {
		if f.State != nil && f.State.Cluster != cluster {
			cluster = f.State.Cluster
			*commits = commitLog{}
			p.one = nil
			if p.stop != nil {
				p.stop()
				p.stop = nil
				p.typ = nil
			}
			p.store.Reset()
			a.RenderFunc(p.tools, p.drawTools)
			p.drawList()
		}
		if f.State != nil && f.State.Compacted > commits.horizon {
			commits.horizon = f.State.Compacted
			p.drawOne()
		}
		if f.Commit == nil {
			return
		}
		commits.add(*f.Commit)
		if f.Commit.Resource == "namespaces" {
			a.RenderFunc(p.tools, p.drawTools)
		}
		if p.one != nil && f.Commit.Ref() == p.one.ref {
			p.one.versions = append(p.one.versions, &version{Commit: *f.Commit})
			p.refreshOne()
		}
	})
	a.drawObject = p.drawOne
	a.openObject = func(ref string) {
		a.Open("objects")
		p.openRef(ref, commits)
	}
	// A revision that is selected on the ruler shows what it was.
	js.Global().Get("document").Call("addEventListener", "tabernetes:revision", js.FuncOf(func(_ js.Value, args []js.Value) any {
		detail := args[0].Get("detail")
		if ref, ok := strings.CutPrefix(jsText(detail.Get("ref")), "obj-"); ok {
			p.openVersion(ref, int64(detail.Get("revision").Int()), commits)
		}
		return nil
	}))
	a.Action("objects-type", func(el *dom.Element, _ dom.Event) {
		p.want = el.Underlying().Get("value").String()
		p.follow()
	})
	a.Action("objects-namespace", func(el *dom.Element, _ dom.Event) {
		p.namespace = el.Underlying().Get("value").String()
		p.typ = nil
		p.follow()
	})
	a.Action("objects-scroll", func(*dom.Element, dom.Event) {
		if p.one == nil && p.store.Len() > 30 {
			p.seen.measure()
			p.drawList()
		}
	})
	a.Action("object-open", func(el *dom.Element, _ dom.Event) {
		if p.typ != nil {
			a.openObject(p.typ.ID() + "/" + refKey(el.GetAttribute("data-object")))
		}
	})
	a.Action("object-back", func(*dom.Element, dom.Event) {
		p.one = nil
		a.RenderFunc(p.tools, p.drawTools)
		p.seen.toTop()
		p.drawList()
	})
	a.Action("object-view", func(el *dom.Element, _ dom.Event) {
		if p.one != nil {
			p.one.view = el.Underlying().Get("value").String()
			if p.one.view == "history" && len(p.one.versions) > 0 {
				v := p.one.versions[len(p.one.versions)-1]
				v.open = true
				p.fetchVersion(len(p.one.versions) - 1)
			}
			p.drawOne()
		}
	})
	a.Action("object-version", func(el *dom.Element, _ dom.Event) {
		if p.one == nil {
			return
		}
		for i, v := range p.one.versions {
			if strconv.FormatInt(v.Revision, 10) == el.GetAttribute("data-rev") {
				v.open = !v.open
				p.fetchVersion(i)
			}
		}
		p.drawOne()
	})
	a.Action("object-edit", func(*dom.Element, dom.Event) {
		if o := p.one; o != nil {
			lines, _ := text.YAML(o.json)
			a.Compose(Request{Method: "PUT", Path: o.typ.Object(o.namespace, o.name), Body: text.Join(text.Unmanaged(lines))})
		}
	})
	a.Action("object-delete", func(*dom.Element, dom.Event) {
		if o := p.one; o != nil {
			a.Compose(Request{Method: "DELETE", Path: o.typ.Object(o.namespace, o.name)})
		}
	})
	go func() {
		// Ages go on without events.
		for {
			time.Sleep(5 * time.Second)
			if p.one == nil && p.store.Len() > 0 {
				p.drawList()
			}
		}
	}()
}

// refKey makes of a row's "namespace/name" the shared selection's.
func refKey(key string) string {
	if strings.HasPrefix(key, "/") {
		return "_" + key
	}
	return key
}

func (p *objectsPanel) catalogChanged() {
	p.RenderFunc(p.tools, p.drawTools)
	p.follow()
}

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
	p.seen.toTop()
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
			err := p.Stream(ctx, Request{Method: "GET", Path: watch, Quiet: true}, func(h Response) { status = h.Status }, func(s string) {
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
		res, err := p.Fetch(ctx, Request{Method: "GET", Path: u, Quiet: true})
		if ctx.Err() != nil || err != nil {
			return false
		}
		if res.Status != 200 {
			p.problem = strconv.Itoa(res.Status) + " " + message(res.Body)
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

// message is a Status' message.
func message(body string) string {
	var s struct {
		Message string `json:"message"`
	}
	json.Unmarshal([]byte(body), &s)
	return s.Message
}

// namesIn are the names of a list's items.
func namesIn(list string) []string {
	var s objects.Store
	s.List(list, true)
	var out []string
	for _, o := range s.Rows() {
		out = append(out, o.Name)
	}
	return out
}

func (p *objectsPanel) changed(*objects.Object) {
	if p.one == nil {
		p.drawList()
	}
	if !p.fading {
		// A row that changed looks so for a moment.
		p.fading = true
		go func() {
			time.Sleep(freshFor)
			p.fading = false
			if p.one == nil {
				p.drawList()
			}
		}()
	}
}

func (p *objectsPanel) drawTools() templ.Component {
	if p.one != nil {
		title := p.one.name
		if p.one.namespace != "" {
			title = p.one.namespace + "/" + title
		}
		return ui.ObjectTools(ui.ObjectHead{Title: title, Refs: "obj-" + p.one.ref, View: p.one.view, Gone: p.one.gone})
	}
	d := ui.ObjectsToolsData{Type: p.want, Namespace: p.namespace}
	for _, r := range p.Catalog.Preferred() {
		name := r.Group
		if name == "" {
			name = "core"
		}
		if n := len(d.Groups); n == 0 || d.Groups[n-1].Name != name {
			d.Groups = append(d.Groups, ui.TypeGroup{Name: name})
		}
		g := &d.Groups[len(d.Groups)-1]
		g.Types = append(g.Types, ui.TypeOption{ID: r.ID(), Label: r.Plural})
	}
	if p.typ != nil {
		if p.typ.Namespaced {
			d.Namespaces = p.Seen.namespaces()
		}
	}
	return ui.ObjectsTools(d)
}

func (p *objectsPanel) drawList() {
	if p.one != nil {
		p.drawOne()
		return
	}
	p.RenderFunc(p.list, func() templ.Component {
		if p.one != nil {
			return p.oneView()
		}
		count := ""
		if p.typ != nil {
			count = ui.Count(p.store.Len())
		}
		p.page.Call("text", "objects-count", count)
		switch {
		case p.problem != "":
			return ui.Empty("The list cannot be read: " + p.problem)
		case p.typ == nil:
			return ui.Empty("The objects of a resource type are listed here when the API server has started.")
		case p.store.Len() == 0:
			return ui.Empty("No " + p.typ.Plural + ". POST one, or take the sample data.")
		}
		return ui.ObjectRows(p.window())
	})
}

// window is the part of the list that can be seen, and a little more.
func (p *objectsPanel) window() ui.ObjectsWindow {
	rows := p.store.Rows()
	w := ui.ObjectsWindow{Namespaced: p.typ.Namespaced && p.namespace == "", Total: len(rows)}
	from, to, above, below := p.seen.rows(len(rows))
	w.First, w.Above, w.Below = from, above, below
	now := time.Now()
	for _, o := range rows[from:to] {
		r := ui.ObjectRow{
			Key: o.Key(), Namespace: o.Namespace, Name: o.Name, Revision: strconv.FormatInt(o.Revision, 10), Deleting: o.Deleting,
			Refs: revisions.ObjectRef(p.typ.Group, p.typ.Plural, o.Namespace, o.Name) + " rev-" + strconv.FormatInt(o.Revision, 10),
		}
		if !o.Created.IsZero() {
			r.Age = objects.Age(now.Sub(o.Created))
		}
		if o.Verb != "" && now.Sub(o.At) < freshFor {
			r.Fresh = strings.ToLower(o.Verb)
		}
		w.Rows = append(w.Rows, r)
	}
	return w
}

// --- one object ---------------------------------------------------------------

// commitLog keeps the commits of the revisions stream that are still readable.
type commitLog struct {
	all     []revisions.Commit
	horizon int64
}

// maxCommits bounds them: the newest are kept.
const maxCommits = 50_000

func (l *commitLog) add(c revisions.Commit) {
	l.all = append(l.all, c)
	if len(l.all) > maxCommits+maxCommits/4 {
		l.all = slices.Clone(l.all[len(l.all)-maxCommits:])
	}
}

// openRef shows an object: ref is as in the shared selection, without "obj-".
func (p *objectsPanel) openRef(ref string, commits *commitLog) {
	parts := strings.SplitN(ref, "/", 3)
	if len(parts) != 3 {
		return
	}
	typ := p.Catalog.ByID(parts[0])
	if typ == nil {
		return
	}
	ns := parts[1]
	if ns == "_" {
		ns = ""
	}
	o := &oneObject{ref: "obj-" + ref, typ: typ, namespace: ns, name: parts[2], view: "yaml"}
	if p.one != nil {
		o.view = p.one.view
	}
	for i := range commits.all {
		c := &commits.all[i]
		if c.Name == o.name && c.Resource == typ.Plural && c.Group == typ.Group && c.Namespace == ns {
			o.versions = append(o.versions, &version{Commit: *c})
		}
	}
	if p.typ != nil && p.typ.ID() == typ.ID() {
		if row := p.store.Get(ns, o.name); row != nil {
			o.json = row.JSON
		}
	}
	p.one = o
	p.seen.toTop()
	p.refreshOne()
}

// openVersion shows what one revision of an object changed.
func (p *objectsPanel) openVersion(ref string, rev int64, commits *commitLog) {
	if p.one == nil || p.one.ref != "obj-"+ref {
		p.openRef(ref, commits)
	}
	if p.one == nil {
		return
	}
	p.one.view = "history"
	for i, v := range p.one.versions {
		if v.open = v.Revision == rev; v.open {
			p.fetchVersion(i)
		}
	}
	p.drawOne()
}

// jsText is a JavaScript string, empty when it is none.
func jsText(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}

// refreshOne reads the shown object anew.
func (p *objectsPanel) refreshOne() {
	o := p.one
	go func() {
		res, err := p.Fetch(context.Background(), Request{Method: "GET", Path: o.typ.Object(o.namespace, o.name), Quiet: true})
		if err == nil {
			switch res.Status {
			case 200:
				o.json, o.gone, o.problem = res.Body, false, ""
			case 404:
				o.gone = true
			default:
				o.problem = strconv.Itoa(res.Status) + " " + message(res.Body)
			}
		}
		p.drawOne()
		if o.view == "history" && len(o.versions) > 0 {
			p.fetchVersion(len(o.versions) - 1)
		}
	}()
	p.drawOne()
}

// fetchVersion reads what the difference of a version needs: itself and the
// one before it, each by an exact list at its revision.
func (p *objectsPanel) fetchVersion(i int) {
	o := p.one
	for _, j := range [...]int{i, i - 1} {
		if j < 0 {
			continue
		}
		v := o.versions[j]
		if v.fetched || v.busy || v.Verb == revisions.Deleted {
			continue
		}
		v.busy = true
		go func() {
			defer func() {
				v.busy = false
				p.drawOne()
			}()
			path := o.typ.Collection(o.namespace) + "?resourceVersion=" + strconv.FormatInt(v.Revision, 10) +
				"&resourceVersionMatch=Exact&fieldSelector=metadata.name%3D" + o.name
			res, err := p.Fetch(context.Background(), Request{Method: "GET", Path: path, Quiet: true})
			switch {
			case err != nil:
				v.problem = err.Error()
				return
			case res.Status != 200:
				v.problem = strconv.Itoa(res.Status) + " " + message(res.Body)
			default:
				var s objects.Store
				if s.List(res.Body, true) == nil && s.Len() == 1 {
					v.json = s.Rows()[0].JSON
				} else {
					v.problem = "the object is not there at this revision"
				}
			}
			v.fetched = true
		}()
	}
}

func (p *objectsPanel) drawOne() {
	if p.one == nil {
		return
	}
	p.RenderFunc(p.tools, p.drawTools)
	p.RenderFunc(p.list, func() templ.Component {
		if p.one == nil {
			return templ.NopComponent
		}
		return p.oneView()
	})
}

func (p *objectsPanel) oneView() templ.Component {
	o := p.one
	title := ui.ObjectTitle(o.typ.Kind, o.namespace, o.name, o.ref, o.gone)
	if o.view == "history" {
		return templ.Join(title, ui.Versions(o.drawn(p.Seen.horizon), o.horizonNote(p.Seen.horizon)))
	}
	switch {
	case o.problem != "":
		return templ.Join(title, ui.Empty(o.problem))
	case o.json == "" && o.gone:
		return templ.Join(title, ui.Empty("It is deleted. Its history shows what is still kept of it."))
	case o.json == "":
		return title
	}
	lines, _ := text.YAML(o.json)
	lines = text.Fold(lines, p.unfolded)
	return templ.Join(title, ui.Code(blocks(lines, o.typ.ID()), len(lines), len(lines)))
}

func (o *oneObject) horizonNote(horizon int64) string {
	if len(o.versions) == 0 {
		return "No revision of it is kept: they are all compacted."
	}
	if o.versions[0].Verb != revisions.Added {
		return "Older revisions are compacted (gone below " + strconv.FormatInt(horizon, 10) + ")."
	}
	return ""
}

// drawn are the versions as they are shown, newest first.
func (o *oneObject) drawn(horizon int64) []ui.Version {
	out := make([]ui.Version, 0, len(o.versions))
	for i := len(o.versions) - 1; i >= 0; i-- {
		v := o.versions[i]
		d := ui.Version{Revision: strconv.FormatInt(v.Revision, 10), Verb: string(v.Verb), Time: clockTime(v.Time), Open: v.open, Gone: v.Revision < horizon && !v.fetched}
		if v.open {
			var before *version
			if i > 0 {
				before = o.versions[i-1]
			}
			d.Diff, d.Note = v.difference(before)
		}
		out = append(out, d)
	}
	return out
}

// difference is what the version changed.
func (v *version) difference(before *version) (html, note string) {
	var a, b []string
	switch {
	case v.problem != "":
		return "", v.problem
	case v.busy, before != nil && before.busy:
		return "", "reading…"
	}
	if v.json != "" {
		lines, _ := text.YAML(v.json)
		b = text.Strings(text.Fold(lines, false))
	}
	if v.Verb != revisions.Added && before != nil && before.json != "" {
		lines, _ := text.YAML(before.json)
		a = text.Strings(text.Fold(lines, false))
	} else if v.Verb == revisions.Modified {
		note = "The revision before is compacted: this is the whole object."
	}
	if v.Verb == revisions.Deleted {
		b = nil
	}
	var out strings.Builder
	text.DiffHTML(&out, text.Diff(a, b, 2))
	return out.String(), note
}

func clockTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("15:04:05")
}
