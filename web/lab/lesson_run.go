//go:build js && wasm

package lab

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/tap"
)

// lessonRun is a request under way.
type lessonRun struct{ stop context.CancelFunc }

// lessonTransport sends a lesson's requests as any client of the API would.
type lessonTransport struct{ app *app.App }

// Do implements lesson.Transport.
func (t lessonTransport) Do(ctx context.Context, r lesson.Outgoing, sample bool, head func(int, []tap.Field), text func(string)) error {
	origin := "lesson"
	if sample {
		origin = "sample"
	}
	q := app.Request{Method: r.Method, Path: r.Target, Header: r.Header, Body: r.Body, Origin: origin}
	if !sample {
		app.Emit(t.app.Bus, app.Awaited{Request: q}) // its answer goes into the response panel
	}
	return t.app.Stream(ctx, q,
		func(h app.Response) { head(h.Status, h.Header) }, text)
}

// requestAt finds what a button in a request's box is about.
func (p *lessonPanel) requestAt(el *dom.Element) (box *dom.Element, i int, r *lesson.Request) {
	box = el.Closest(".lesson-http")
	if box == nil {
		return nil, 0, nil
	}
	i = p.index(box.GetAttribute("data-lesson"))
	if i < 0 {
		return nil, 0, nil
	}
	return box, i, p.lessons[i].Request(box.GetAttribute("data-at"))
}

// run sends a request, or stops it if it is under way.
func (p *lessonPanel) run(el *dom.Element, _ dom.Event) {
	box, i, r := p.requestAt(el)
	if r == nil {
		return
	}
	key := p.lessons[i].ID + "/" + box.GetAttribute("data-at")
	if now := p.running[key]; now != nil {
		now.stop()
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	p.running[key] = &lessonRun{stop: stop}
	p.notice("")
	out := box.QuerySelector(".lesson-out")
	setHidden(out, false)
	label := r.Label()
	button := func(text string) {
		setText(el, text)
		setAttribute(el, "aria-label", text+" "+label)
	}
	var last lesson.Report
	show := func() templ.Component { return lesson.Outcome(last) }
	p.app.RenderFunc(out, show)
	if r.Watch() || r.Repeat > 1 {
		button("Stop")
	}
	go func() {
		defer stop()
		p.sessions[i].Run(ctx, lessonTransport{p.app}, r, func(rep lesson.Report) {
			last = rep
			p.app.RenderFunc(out, show)
		})
		delete(p.running, key)
		button("Run")
		p.save(i)
		p.say(last, label)
	}()
}

// say tells those who do not see the page how a run ended.
func (p *lessonPanel) say(r lesson.Report, label string) {
	switch {
	case r.Err != nil && !r.Stopped:
		p.app.Alert(r.Err.Error())
	case r.Total > 1:
		p.app.Announce(label + ": all sent")
	default:
		p.app.Announce(label + ": " + strconv.Itoa(r.Status) + " " + r.Facts.Text)
	}
}

// resolve fills a request in, or shows which one has to be run before it.
func (p *lessonPanel) resolve(box *dom.Element, i int, r *lesson.Request) (lesson.Outgoing, bool) {
	out, err := p.sessions[i].Resolve(r)
	if err != nil {
		el := box.QuerySelector(".lesson-out")
		setHidden(el, false)
		p.app.Render(el, lesson.Outcome(lesson.Report{Total: 1, Err: err, Done: true}))
		p.app.Alert(err.Error())
		return lesson.Outgoing{}, false
	}
	return out, true
}

// compose puts a request into the console, for the learner to change.
func (p *lessonPanel) compose(el *dom.Element, _ dom.Event) {
	box, i, r := p.requestAt(el)
	if r == nil {
		return
	}
	if out, ok := p.resolve(box, i, r); ok {
		app.Emit(p.app.Bus, app.Compose{Request: app.Request{Method: out.Method, Path: out.Target, Header: out.Header, Body: out.Body, Origin: "console"}})
		p.app.Open("console")
	}
}

// copy puts a request on the clipboard, filled in as far as possible.
func (p *lessonPanel) copy(el *dom.Element, _ dom.Event) {
	_, i, r := p.requestAt(el)
	if r == nil {
		return
	}
	text := r.Source
	var missing *lesson.MissingError
	if out, err := p.sessions[i].Resolve(r); err == nil {
		text = httpText(out)
	} else if !errors.As(err, &missing) {
		return
	}
	p.app.Copy(text, "the request")
}

// httpText writes a request in .http syntax.
func httpText(r lesson.Outgoing) string {
	var b strings.Builder
	b.WriteString(r.Method + " " + r.Target + "\n")
	for _, h := range r.Header {
		b.WriteString(h.Name + ": " + h.Value + "\n")
	}
	if r.Body != "" {
		b.WriteString("\n" + r.Body + "\n")
	}
	return b.String()
}

// clear stops what runs inside an element and takes the results away.
func (p *lessonPanel) clear(in *dom.Element) {
	if in == nil {
		return
	}
	for _, box := range in.QuerySelectorAll(".lesson-http") {
		if now := p.running[box.GetAttribute("data-lesson")+"/"+box.GetAttribute("data-at")]; now != nil {
			now.stop()
		}
		out := box.QuerySelector(".lesson-out")
		setHidden(out, true)
		setText(out, "")
	}
}
