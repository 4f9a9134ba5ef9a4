package console

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/samples"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/ui"
)

// countEvery is how often the number of requests is shown while they come all the time.
const countEvery = 250 * time.Millisecond

// console is the request's half of the console.
type console struct {
	*app.App
	method, path, body, headers, patch, accept app.Field
	replica                                    *serverChoice
	options                                    []catalog.Option
	active                                     int // index into options, -1: none
	open                                       bool

	drafts drafts
	of     string // the method whose draft is in the fields

	closing *time.Timer // closes the options of a field that has lost the focus
	opened  bool        // headers and Accept are shown
	isReady bool        // there is an API server to answer
	queue   []app.Request
	offer   *app.Request // what may be taken instead of what was typed
}

// Start runs the panel.
func Start(a *app.App) { start(a) }

func start(a *app.App) *console {
	c := &console{
		App: a, active: -1, drafts: drafts{},
		method: a.Field("req-method"), path: a.Field("req-path"), body: a.Field("req-body"),
		headers: a.Field("req-headers"), patch: a.Field("req-patch"), accept: a.Field("req-accept"),
		replica: newServerChoice(a, a.Field("req-replica")),
	}
	app.On(a.Bus, func(e app.Compose) { c.compose(e.Request) })
	count := app.Throttle{Every: countEvery}
	place := a.State().Place
	counted := func() { c.Page.Call("text", "log-count", ui.Count(a.Requests.In(place))) }
	app.On(a.Bus, func(e app.EntryChanged) {
		if e.Event.Type == tap.Request {
			count.Do(counted)
		}
	})
	app.On(a.Bus, func(s app.State) {
		if s.Place != place { // whose log is another one
			place = s.Place
			count.Do(counted)
		}
		c.ready(s.Phase == "ready" || s.Target == "devserver")
	})
	a.OnUse("request-more", func(app.Use) { c.more(!c.opened) })
	a.OnUse("take-offer", func(app.Use) { c.takeOffer() })
	a.OnKey("/", func(app.Press) bool {
		a.Open("console")
		c.path.Focus()
		c.Page.Call("selectAll", "req-path")
		return true
	})
	a.OnUse("send", func(app.Use) { c.send() })
	a.OnUse("apply", func(app.Use) { go a.Apply(c.body.Value(), "console") })
	a.OnUse("method", func(app.Use) { c.methodChanged() })
	a.OnUse("patch-type", func(app.Use) { c.showParts() })
	a.OnUse("format", func(app.Use) { c.format() })
	a.OnUse("body-add", func(app.Use) {
		c.Mark("req-bodypart", "hidden", false)
		c.body.Focus()
	})
	a.OnUse("patch-example", func(app.Use) {
		p := c.patchType()
		c.setPath(p.Path)
		c.Page.Call("setText", "req-body", p.Body)
	})
	a.OnUse("path", c.pathEvent)
	a.OnUse("option", func(u app.Use) {
		i, _ := strconv.Atoi(u.Attr("data-i"))
		c.take(i)
	})
	c.of = c.method.Value()
	c.setPath(c.path.Value())
	c.showParts()
	return c
}

// methodChanged puts away what was written for the method before, and shows what was written for this one.
func (c *console) methodChanged() {
	path, d := c.drafts.change(c.of, c.method.Value(), c.path.Value(),
		draft{body: c.body.Value(), headers: c.headers.Value(), accept: c.accept.Value()})
	c.of = c.method.Value()
	c.setPath(path)
	c.Page.Call("setText", "req-body", d.body)
	c.headers.Set(d.headers)
	c.accept.Set(d.accept)
	c.closeOptions()
	c.more(c.opened || !d.plain())
	c.showParts()
}

// setPath puts a path into its field.
func (c *console) setPath(path string) {
	c.path.Set(path)
	c.Page.Call("fit", "req-path")
}

// showParts shows what only some methods have.
func (c *console) showParts() {
	m := c.method.Value()
	c.Mark("patch-type", "hidden", m != "PATCH")
	c.Mark("req-addbody", "hidden", m != "DELETE")
	c.Mark("req-bodypart", "hidden", m == "GET" || m == "DELETE" && c.body.Value() == "")
	note := ""
	if m == "PATCH" {
		note = c.patchType().Note
	}
	c.Page.Call("text", "req-note", note)
	c.Describe("req-note", "title", note)
}

// patchType returns the way to patch that is chosen.
func (c *console) patchType() samples.Patch {
	for _, p := range samples.Patches {
		if p.Type == c.patch.Value() {
			return p
		}
	}
	return samples.Patch{}
}

// compose puts a request into the console.
func (c *console) compose(r app.Request) {
	c.method.Set(r.Method)
	c.methodChanged()
	c.setPath(r.Path)
	c.Page.Call("setText", "req-body", r.Body)
	var lines []string
	c.replica.Set("")
	c.accept.Set("")
	for _, f := range r.Header {
		switch strings.ToLower(f.Name) {
		case strings.ToLower(wellknown.ReplicaHeader):
			if c.replica.choose(f.Value) {
				continue
			}
		case "content-type":
			if r.Method != "PATCH" {
				// What the body is, the console sees itself.
				continue
			}
			was := c.patch.Value()
			if c.patch.Set(f.Value); c.patch.Value() == f.Value {
				continue
			}
			c.patch.Set(was) // a type that is not in the list stands among the headers
		case "user-agent":
			continue
		case "accept":
			if f.Value == "*/*" {
				continue
			}
			if c.accept.Set(f.Value); c.accept.Value() == f.Value {
				continue
			}
			c.accept.Set("") // one that is not in the list stands among the headers
		}
		lines = append(lines, f.Name+": "+f.Value)
	}
	c.headers.Set(strings.Join(lines, "\n"))
	c.showParts()
	c.closeOptions()
	c.more(c.opened || len(lines) > 0 || c.accept.Value() != "")
	c.problem("", nil)
	c.Open("console")
	c.path.Focus()
}

// send makes the request that is written in the console.
func (c *console) send() {
	c.closeOptions()
	path, words, offer := understand(c.path.Value(), c.Catalog)
	c.problem(words, offer)
	if words != "" {
		return
	}
	r := app.Request{Method: c.method.Value(), Path: path, Origin: "console"}
	c.setPath(r.Path)
	typed, pinned, accepts := false, false, false
	r.Header = tap.ParseFields(c.headers.Value())
	for _, f := range r.Header {
		typed = typed || strings.EqualFold(f.Name, "content-type")
		accepts = accepts || strings.EqualFold(f.Name, "accept")
		pinned = pinned || strings.EqualFold(f.Name, wellknown.ReplicaHeader)
	}
	if accept := c.accept.Value(); accept != "" && !accepts {
		r.Header = append(r.Header, tap.Field{Name: "Accept", Value: accept})
	}
	if !pinned {
		r.Header = append(r.Header, c.replica.pin()...)
	}
	if r.Method != "GET" {
		r.Body = c.body.Value()
		if strings.TrimSpace(r.Body) == "" {
			r.Body = ""
		}
	}
	if r.Body != "" && !typed {
		kind := "application/json"
		switch {
		case r.Method == "PATCH":
			kind = c.patch.Value()
			if !jsonish(r.Body) && !strings.HasSuffix(kind, "yaml") {
				// A patch is JSON on the wire; it may be written as YAML here.
				if b, err := yaml.YAMLToJSON([]byte(r.Body)); err == nil {
					r.Body = string(b)
				}
			}
		case !jsonish(r.Body):
			kind = "application/yaml"
		}
		r.Header = append(r.Header, tap.Field{Name: "Content-Type", Value: kind})
	}
	if !c.isReady {
		// It is kept, and sent when there is an API server to answer it.
		c.queue = append(c.queue, r)
		c.problem("Waiting for the API server: it is sent when it has started.", nil)
		return
	}
	c.Send(r)
}

// ready sends the request that was made while the API server was loading.
func (c *console) ready(is bool) {
	c.isReady = is
	if !is {
		return
	}
	queue := c.queue
	c.queue = nil
	for _, r := range queue {
		c.Send(r)
	}
	if len(queue) > 0 {
		c.problem("", nil)
	}
}

// problem shows below the line what is wrong with it, and an offer to take instead.
func (c *console) problem(words string, offer *app.Request) {
	c.offer = offer
	text := ""
	if offer != nil {
		text = offer.Method + " " + offer.Path
	}
	c.Draw("req-problem", func() templ.Component { return Problem(words, text) })
}

func (c *console) takeOffer() {
	if c.offer != nil {
		c.compose(*c.offer)
	}
}

// format lays the body out, or says why it cannot.
func (c *console) format() {
	body, words := format(c.body.Value())
	c.problem(words, nil)
	if words == "" {
		c.Page.Call("retype", "req-body", body)
	}
}

// more shows or hides the fields that few requests need.
func (c *console) more(show bool) {
	c.opened = show
	c.Mark("req-parts", "hidden", !show)
	c.Describe("req-more", "aria-expanded", strconv.FormatBool(show))
}

// --- completion of the path ---------------------------------------------------

func (c *console) pathEvent(u app.Use) {
	switch u.Type() {
	case "input", "focusin":
		c.complete()
	case "focusout":
		// A click on an option moves the focus first.
		c.closing = time.AfterFunc(150*time.Millisecond, c.closeOptions)
	case "keydown":
		c.pathKey(u)
	}
}

func (c *console) pathKey(u app.Use) {
	key := u.Press().Key
	if p := u.Press(); p.Ctrl || p.Meta {
		return
	}
	switch key {
	case "ArrowDown", "ArrowUp":
		if !c.open {
			c.complete()
		} else if n := len(c.options); n > 0 {
			step := 1
			if key == "ArrowUp" {
				step = n
				if c.active >= 0 {
					step = n - 1
				}
			}
			c.active = (c.active + step + n) % n
			if key == "ArrowUp" && c.active < 0 {
				c.active = n - 1
			}
			c.drawOptions()
		}
		u.PreventDefault()
	case "Enter":
		if c.open && c.active >= 0 {
			u.PreventDefault()
			c.take(c.active)
		} else {
			c.closeOptions()
		}
	case "Tab":
		if c.open && c.active >= 0 {
			u.PreventDefault()
			c.take(c.active)
		}
	case "Escape":
		if c.open {
			u.PreventDefault()
			c.closeOptions()
		}
	}
}

func (c *console) complete() {
	if c.closing != nil { // the field has the focus again
		c.closing.Stop()
	}
	c.options = c.Catalog.Complete(c.method.Value(), c.path.Value(), c.Seen.Known())
	c.active = -1
	c.open = len(c.options) > 0
	c.drawOptions()
}

func (c *console) take(i int) {
	if i < 0 || i >= len(c.options) {
		return
	}
	o := c.options[i]
	c.setPath(o.Value)
	c.path.Focus()
	c.Page.Call("caretToEnd", "req-path")
	if o.More {
		c.complete()
	} else {
		c.closeOptions()
	}
}

func (c *console) closeOptions() {
	if c.open {
		c.open = false
		c.drawOptions()
	}
}

func (c *console) drawOptions() {
	c.Mark("req-options", "hidden", !c.open)
	active := ""
	if c.open && c.active >= 0 {
		active = "option-" + strconv.Itoa(c.active)
	}
	c.Describe("req-path", "aria-activedescendant", active)
	if !c.open {
		return
	}
	c.Draw("req-options", func() templ.Component { return ui.Options(c.options, c.active) })
	if active != "" {
		c.Page.Call("reveal", active)
	}
}
