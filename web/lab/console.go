//go:build js && wasm

package lab

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/samples"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/timeline"
	"github.com/tabernetes/tabernetes/web/ui"
)

func init() { panels = append(panels, startConsole) }

// console is the request's half of the console.
type console struct {
	*App
	method, path, body, headers, patch, accept field
	replica                                    *serverChoice
	options                                    []catalog.Option
	active                                     int // index into options, -1: none
	open                                       bool
}

// field is a form control.
type field struct{ el *dom.Element }

func (f field) value() string        { return f.el.Underlying().Get("value").String() }
func (f field) set(v string)         { f.el.Underlying().Set("value", v) }
func (f field) attr(k, v string)     { f.el.SetAttribute(k, v) }
func (f field) focus()               { f.el.Underlying().Call("focus") }
func (a *App) field(id string) field { return field{a.Doc.GetElementByID(id)} }

func startConsole(a *App) {
	c := &console{
		App: a, active: -1,
		method: a.field("req-method"), path: a.field("req-path"), body: a.field("req-body"),
		headers: a.field("req-headers"), patch: a.field("req-patch"), accept: a.field("req-accept"),
		replica: a.serverChoice(a.field("req-replica"), a.Doc.GetElementByID("req-server")),
	}
	a.compose = c.compose
	a.Action("send", func(*dom.Element, dom.Event) { c.send() })
	a.Action("apply", func(*dom.Element, dom.Event) { go a.Apply(c.body.value(), "console") })
	a.Action("method", func(*dom.Element, dom.Event) { c.methodChanged() })
	a.Action("patch-type", func(*dom.Element, dom.Event) { c.methodChanged() })
	a.Action("patch-example", func(*dom.Element, dom.Event) {
		p := c.patchType()
		c.path.set(p.Path)
		c.page.Call("setText", c.body.el.Underlying(), p.Body)
	})
	a.Action("path", c.pathEvent)
	a.Action("option", func(el *dom.Element, _ dom.Event) {
		i, _ := strconv.Atoi(el.GetAttribute("data-i"))
		c.take(i)
	})
	c.methodChanged()
}

// methodChanged shows what only some methods have.
func (c *console) methodChanged() {
	m := c.method.value()
	toggle(c.Doc.GetElementByID("patch-type"), "hidden", m != "PATCH")
	note := ""
	switch m {
	case "GET":
		note = "a GET has no body"
	case "PATCH":
		note = c.patchType().Note
	}
	c.page.Call("text", "req-note", note)
	c.Doc.GetElementByID("req-note").SetAttribute("title", note)
}

// patchType is the way to patch that is chosen.
func (c *console) patchType() samples.Patch {
	for _, p := range samples.Patches {
		if p.Type == c.patch.value() {
			return p
		}
	}
	return samples.Patch{}
}

func toggle(el *dom.Element, attr string, on bool) {
	el.Underlying().Call("toggleAttribute", attr, on)
}

// compose puts a request into the console.
func (c *console) compose(r Request) {
	c.method.set(r.Method)
	c.path.set(r.Path)
	c.page.Call("setText", c.body.el.Underlying(), r.Body)
	var lines []string
	c.replica.set("")
	c.accept.set("")
	for _, f := range r.Header {
		switch strings.ToLower(f.Name) {
		case strings.ToLower(timeline.ReplicaHeader):
			if c.replica.choose(f.Value) {
				continue
			}
		case "content-type":
			if r.Method != "PATCH" {
				// What the body is, the console sees itself.
				continue
			}
			was := c.patch.value()
			if c.patch.set(f.Value); c.patch.value() == f.Value {
				continue
			}
			c.patch.set(was) // a type that is not in the list stands among the headers
		case "user-agent":
			continue
		case "accept":
			if f.Value == "*/*" {
				continue
			}
			if c.accept.set(f.Value); c.accept.value() == f.Value {
				continue
			}
			c.accept.set("") // one that is not in the list stands among the headers
		}
		lines = append(lines, f.Name+": "+f.Value)
	}
	c.headers.set(strings.Join(lines, "\n"))
	c.methodChanged()
	c.closeOptions()
	c.Open("request")
	c.path.focus()
}

// send makes the request that is written in the console.
func (c *console) send() {
	c.closeOptions()
	r := Request{Method: c.method.value(), Path: strings.TrimSpace(c.path.value()), Origin: "console"}
	if !strings.HasPrefix(r.Path, "/") {
		r.Path = "/" + r.Path
		c.path.set(r.Path)
	}
	typed, pinned, accepts := false, false, false
	for l := range strings.Lines(c.headers.value()) {
		if name, value, ok := strings.Cut(l, ":"); ok {
			r.Header = append(r.Header, tap.Field{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
			typed = typed || strings.EqualFold(strings.TrimSpace(name), "content-type")
			accepts = accepts || strings.EqualFold(strings.TrimSpace(name), "accept")
			pinned = pinned || strings.EqualFold(strings.TrimSpace(name), timeline.ReplicaHeader)
		}
	}
	if accept := c.accept.value(); accept != "" && !accepts {
		r.Header = append(r.Header, tap.Field{Name: "Accept", Value: accept})
	}
	if !pinned {
		r.Header = append(r.Header, c.replica.pin()...)
	}
	if r.Method != "GET" {
		r.Body = c.body.value()
		if strings.TrimSpace(r.Body) == "" {
			r.Body = ""
		}
	}
	if r.Body != "" && !typed {
		kind := "application/json"
		switch {
		case r.Method == "PATCH":
			kind = c.patch.value()
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
	c.Send(r)
}

// jsonish reports whether a body is JSON rather than YAML.
func jsonish(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && (s[0] == '{' || s[0] == '[')
}

// Send makes a request and shows its answer in the response panel. It does not
// block. The answer reaches the panel through the tap, as every other does.
func (a *App) Send(r Request) {
	if r.Origin == "" {
		r.Origin = "console"
	}
	a.showNext(r)
	go a.Stream(context.Background(), r, nil, nil)
}

// Compose puts a request into the console without sending it.
func (a *App) Compose(r Request) {
	if a.compose != nil {
		a.compose(r)
	}
}

// --- completion of the path ---------------------------------------------------

func (c *console) pathEvent(_ *dom.Element, ev dom.Event) {
	switch ev.Type() {
	case "input", "focusin":
		c.complete()
	case "focusout":
		// A click on an option moves the focus first.
		go func() {
			time.Sleep(150 * time.Millisecond)
			c.closeOptions()
		}()
	case "keydown":
		c.pathKey(ev)
	}
}

func (c *console) pathKey(ev dom.Event) {
	key := ev.Underlying().Get("key").String()
	if ctrl := ev.Underlying().Get("ctrlKey").Bool() || ev.Underlying().Get("metaKey").Bool(); ctrl {
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
		ev.PreventDefault()
	case "Enter":
		if c.open && c.active >= 0 {
			ev.PreventDefault()
			c.take(c.active)
		} else {
			c.closeOptions()
		}
	case "Tab":
		if c.open && c.active >= 0 {
			ev.PreventDefault()
			c.take(c.active)
		}
	case "Escape":
		if c.open {
			ev.PreventDefault()
			c.closeOptions()
		}
	}
}

func (c *console) complete() {
	c.options = c.Catalog.Complete(c.method.value(), c.path.value(), c.known())
	c.active = -1
	c.open = len(c.options) > 0
	c.drawOptions()
}

func (c *console) take(i int) {
	if i < 0 || i >= len(c.options) {
		return
	}
	o := c.options[i]
	c.path.set(o.Value)
	c.path.focus()
	c.page.Call("caretToEnd", c.path.el.Underlying())
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
	list := c.Doc.GetElementByID("req-options")
	toggle(list, "hidden", !c.open)
	c.path.attr("aria-expanded", strconv.FormatBool(c.open))
	if c.open && c.active >= 0 {
		c.path.attr("aria-activedescendant", "option-"+strconv.Itoa(c.active))
	} else {
		c.path.el.RemoveAttribute("aria-activedescendant")
	}
	if !c.open {
		return
	}
	c.RenderFunc(list, func() templ.Component { return ui.Options(c.options, c.active) })
	if c.active >= 0 {
		c.page.Call("reveal", "option-"+strconv.Itoa(c.active))
	}
}
