//go:build js && wasm

package lesson

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
	"github.com/tabernetes/tabernetes/web/tap"
)

// lessonRun is a request under way.
type lessonRun struct {
	key  string // in lessonPanel.running
	ctx  context.Context
	stop context.CancelFunc
	// stoppable: it continues for as long as the learner wants, or it has many parts.
	stoppable bool
}

// lessonTransport sends a lesson's requests as any client of the API would.
type lessonTransport struct {
	app *app.App
	// answered is called with the tap's id of a request that is answered; may be nil.
	answered func(request int)
}

// Do implements session.Transport.
func (t lessonTransport) Do(ctx context.Context, r format.Outgoing, from session.Origin, head func(int, []tap.Field),
	text func(string)) error {
	q := app.Request{Method: r.Method, Path: r.Target, Header: r.Header, Body: r.Body, Bytes: r.Binary,
		Origin: string(from)}
	if from == session.FromLesson {
		app.Emit(t.app.Bus, app.Requesting{Request: q}) // its answer goes into the response panel
	}
	return t.app.Stream(ctx, q, func(h app.Response) {
		if t.answered != nil {
			t.answered(h.Request)
		}
		head(h.Status, h.Header)
	}, text)
}

// requestAt finds the box that a button is in.
func (p *lessonPanel) requestAt(el *dom.Element) (*document, *drawnBox) {
	box := el.Closest(".lesson-http")
	if box == nil {
		return nil, nil
	}
	d := p.docs[box.GetAttribute("data-lesson")]
	if d == nil {
		return nil, nil
	}
	at := box.GetAttribute("data-at")
	for _, b := range d.drawn.boxes {
		if b.at == at && b.request != nil {
			return d, b
		}
	}
	return nil, nil
}

// run sends a request and those that go along with it, or stops it if it is under way.
// While the API server is being loaded the request waits for it.
func (p *lessonPanel) run(el *dom.Element, _ dom.Event) {
	d, b := p.requestAt(el)
	if b == nil || d.session.Held(b.place.Step, b.place.Block) {
		return
	}
	if now := p.running[runKey(d, b.at)]; now != nil {
		if now.stoppable {
			now.stop()
		}
		return
	}
	if p.inTerminal(b) {
		p.runCommand(d, b)
		return
	}
	p.runAll(d, d.drawn.together(b))
}

// together returns a request's box and those of the requests that are sent right after it.
func (d *drawnLesson) together(first *drawnBox) []*drawnBox {
	var boxes []*drawnBox
	for _, b := range d.boxes {
		at, from := b.place, first.place
		if at.Step == from.Step && at.Block == from.Block && at.Request >= from.Request && at.Request < from.Request+
			first.along {
			boxes = append(boxes, b)
		}
	}
	return boxes
}

// given returns the requests of a question except for those of its solution.
func (d *drawnLesson) given() []*drawnBox {
	var boxes []*drawnBox
	for _, b := range d.boxes {
		if b.box.Closest(".lesson-solution") == nil {
			boxes = append(boxes, b)
		}
	}
	return boxes
}

// runAll sends requests one after the other: a watch continues meanwhile. All count as under way from the start, so
// that none is offered between two of them. One that cannot be sent yet, is stopped, or is under way, ends it.
func (p *lessonPanel) runAll(d *document, boxes []*drawnBox) {
	if p.refuseGuest() {
		return
	}
	p.notice = view.Notice{}
	var runs []*lessonRun
	for _, b := range boxes {
		if p.running[runKey(d, b.at)] != nil {
			break
		}
		runs = append(runs, p.start(d, b))
	}
	p.paint()
	go func() {
		p.begin(d, false)
		for i, run := range runs {
			p.app.CatchUp()
			b := boxes[i]
			if _, err := d.session.Resolve(b.request); i > 0 && (err != nil || run.ctx.Err() != nil) {
				for _, rest := range runs[i:] {
					p.end(rest)
				}
				p.paint()
				return
			}
			begun := make(chan struct{})
			go p.carryOut(d, b, run, begun)
			<-begun
		}
	}()
}

// start notes that a request is under way.
func (p *lessonPanel) start(d *document, b *drawnBox) *lessonRun {
	run := &lessonRun{key: runKey(d, b.at), stoppable: b.request.Watch() || b.request.Repeat > 1}
	run.ctx, run.stop = context.WithCancel(context.Background())
	p.running[run.key] = run
	return run
}

// end ends a run, and reports whether its box, which may have been cleared, was waiting for it.
func (p *lessonPanel) end(run *lessonRun) bool {
	run.stop()
	if p.running[run.key] != run {
		return false
	}
	delete(p.running, run.key)
	return true
}

// carryOut sends a request and shows how it goes. begun is closed when its answer is whole,
// of a watch when it has begun.
func (p *lessonPanel) carryOut(d *document, b *drawnBox, run *lessonRun, begun chan struct{}) {
	var once sync.Once
	var last session.Report
	b.draw = func() templ.Component {
		if e := p.app.Requests.Get(b.made); e != nil {
			if c := history.ChipOf(e, "", ""); c.Kind == history.Wrote {
				last.Wrote, last.Revision = c.Text, c.Revision
			}
		}
		return view.Chip(last)
	}
	answered := func(id int) { b.made = id }
	d.session.Run(run.ctx, lessonTransport{p.app, answered}, b.request, func(rep session.Report) {
		if last = rep; p.running[run.key] != run {
			return // its box was cleared
		}
		if rep.Streaming {
			once.Do(func() {
				close(begun)
				d.session.NoteRun(b.at) // what is to be run next is something else
				p.paint()
			})
		}
		setHidden(b.out, view.Silent(rep))
		p.app.RenderFunc(b.chip, b.draw)
		p.app.RenderFunc(b.out, func() templ.Component { return view.Outcome(last) })
	})
	once.Do(func() { close(begun) })
	if !p.end(run) {
		return
	}
	if last.Sent > 0 && (last.Err == nil || last.Stopped) {
		d.session.NoteRun(b.at)
	}
	p.save(d)
	p.paint()
	p.sayEnd(last, b.request.Label())
}

// sayEnd announces to screen readers how a run ended.
func (p *lessonPanel) sayEnd(r session.Report, label string) {
	switch {
	case r.Err != nil && !r.Stopped:
		p.app.Alert(r.Err.Error())
	case r.Total > 1:
		p.app.Announce(label + ": all sent")
	default:
		p.app.Announce(label + ": " + strconv.Itoa(r.Status) + " " + r.Summary.Text)
	}
}

// compose puts a request into the console, for the learner to change, or says
// which one has to be run before it.
func (p *lessonPanel) compose(el *dom.Element, _ dom.Event) {
	d, b := p.requestAt(el)
	if b == nil || p.app.Closed != "" {
		return
	}
	out, err := d.session.Resolve(b.request)
	if err != nil {
		setHidden(b.out, false)
		p.app.Render(b.out, view.Outcome(session.Report{Total: 1, Err: err, Done: true}))
		p.app.Alert(err.Error())
		return
	}
	go p.begin(d, false)
	q := app.Request{Method: out.Method, Path: out.Target, Header: out.Header, Body: out.Body, Origin: "console"}
	app.Emit(p.app.Bus, app.Compose{Request: q})
	p.app.Open("console")
}

// copy puts a request on the clipboard, filled in as far as possible.
func (p *lessonPanel) copy(el *dom.Element, _ dom.Event) {
	d, b := p.requestAt(el)
	if b == nil {
		return
	}
	if p.inTerminal(b) {
		p.app.Copy(b.command, "the command")
		return
	}
	text := b.request.Source
	var missing *session.MissingError
	if out, err := d.session.Resolve(b.request); err == nil {
		text = out.HTTP()
	} else if !errors.As(err, &missing) {
		return
	}
	p.app.Copy(text, "the request")
}

// clear stops what runs inside an element and takes the results away.
func (p *lessonPanel) clear(in *dom.Element) {
	for _, d := range p.docs {
		for _, b := range d.drawn.boxes {
			if !in.Contains(b.box) {
				continue
			}
			if now := p.running[runKey(d, b.at)]; now != nil {
				now.stop()
				delete(p.running, runKey(d, b.at))
			}
			b.made = 0
			setHidden(b.out, true)
			p.app.Render(b.chip, templ.NopComponent)
			p.app.Render(b.out, templ.NopComponent)
		}
	}
}
