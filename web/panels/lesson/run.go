//go:build js && wasm

package lesson

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	model "github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/tap"
)

// lessonRun is a request under way.
type lessonRun struct {
	stop context.CancelFunc
	// stoppable: it goes on for as long as the learner wants, or it has many parts.
	stoppable bool
}

// lessonTransport sends a lesson's requests as any client of the API would.
type lessonTransport struct{ app *app.App }

// Do implements model.Transport.
func (t lessonTransport) Do(ctx context.Context, r model.Outgoing, sample bool, head func(int, []tap.Field), text func(string)) error {
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

// requestAt finds the box that a button is in.
func (p *lessonPanel) requestAt(el *dom.Element) (i int, b *drawnBox) {
	box := el.Closest(".lesson-http")
	if box == nil {
		return 0, nil
	}
	i = p.index(box.GetAttribute("data-lesson"))
	if i < 0 {
		return 0, nil
	}
	at := box.GetAttribute("data-at")
	for _, b := range p.drawn[i].boxes {
		if b.at == at && b.request != nil {
			return i, b
		}
	}
	return 0, nil
}

// run sends a request, or stops it if it is under way. While the API server is
// being loaded the request waits for it.
func (p *lessonPanel) run(el *dom.Element, _ dom.Event) {
	i, b := p.requestAt(el)
	if b == nil {
		return
	}
	key := p.runKey(i, b.at)
	if now := p.running[key]; now != nil {
		if now.stoppable {
			now.stop()
		}
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	p.running[key] = &lessonRun{stop: stop, stoppable: b.request.Watch() || b.request.Repeat > 1}
	p.notice = model.Notice{}
	var last model.Report
	show := func(rep model.Report) {
		last = rep
		setHidden(b.out, rep.Silent())
		p.app.RenderFunc(b.chip, func() templ.Component { return model.Chip(last) })
		p.app.RenderFunc(b.out, func() templ.Component { return model.Outcome(last) })
	}
	p.paint()
	go func() {
		defer stop()
		p.begin(i, false)
		p.sessions[i].Run(ctx, lessonTransport{p.app}, b.request, show)
		delete(p.running, key)
		if last.Sent > 0 {
			p.sessions[i].NoteRun(b.at)
		}
		p.save(i)
		p.paint()
		p.sayEnd(last, b.request.Label())
	}()
}

// sayEnd tells those who do not see the page how a run ended.
func (p *lessonPanel) sayEnd(r model.Report, label string) {
	switch {
	case r.Err != nil && !r.Stopped:
		p.app.Alert(r.Err.Error())
	case r.Total > 1:
		p.app.Announce(label + ": all sent")
	default:
		p.app.Announce(label + ": " + strconv.Itoa(r.Status) + " " + r.Facts.Text)
	}
}

// compose puts a request into the console, for the learner to change, or says
// which one has to be run before it.
func (p *lessonPanel) compose(el *dom.Element, _ dom.Event) {
	i, b := p.requestAt(el)
	if b == nil {
		return
	}
	out, err := p.sessions[i].Resolve(b.request)
	if err != nil {
		setHidden(b.out, false)
		p.app.Render(b.out, model.Outcome(model.Report{Total: 1, Err: err, Done: true}))
		p.app.Alert(err.Error())
		return
	}
	go p.begin(i, false)
	q := app.Request{Method: out.Method, Path: out.Target, Header: out.Header, Body: out.Body, Origin: "console"}
	app.Emit(p.app.Bus, app.Compose{Request: q})
	p.app.Open("console")
}

// copy puts a request on the clipboard, filled in as far as possible.
func (p *lessonPanel) copy(el *dom.Element, _ dom.Event) {
	i, b := p.requestAt(el)
	if b == nil {
		return
	}
	text := b.request.Source
	var missing *model.MissingError
	if out, err := p.sessions[i].Resolve(b.request); err == nil {
		text = httpText(out)
	} else if !errors.As(err, &missing) {
		return
	}
	p.app.Copy(text, "the request")
}

// httpText writes a request in .http syntax.
func httpText(r model.Outgoing) string {
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
	for i, d := range p.drawn {
		for _, b := range d.boxes {
			if !in.Contains(b.box) {
				continue
			}
			if now := p.running[p.runKey(i, b.at)]; now != nil {
				now.stop()
			}
			setHidden(b.out, true)
			p.app.Render(b.chip, templ.NopComponent)
			p.app.Render(b.out, templ.NopComponent)
		}
	}
}
