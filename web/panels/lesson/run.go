package lesson

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
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

// A lessonTransport sends a lesson's requests as any client of the API would.
type lessonTransport struct {
	lab lab
	bus *app.Bus
	// answered is called with the tap's id of a request that is answered; may be nil.
	answered func(request int)
}

// Do implements session.Transport.
func (t *lessonTransport) Do(ctx context.Context, r format.Outgoing, from session.Origin, head func(int, []tap.Field),
	text func(string)) error {
	q := app.Request{Method: r.Method, Path: r.Target, Header: r.Header, Body: r.Body, Bytes: r.Binary,
		Origin: string(from)}
	if from == session.FromLesson {
		app.Emit(t.bus, app.Requesting{Request: q}) // its answer goes into the response panel
	}
	return t.lab.Stream(ctx, q, func(h app.Response) {
		if t.answered != nil {
			t.answered(h.Request)
		}
		head(h.Status, h.Header)
	}, text)
}

func (p *lessonPanel) transport(answered func(request int)) *lessonTransport {
	return &lessonTransport{p.lab, p.bus, answered}
}

// requestAt finds a request of a document that is loaded; nil if it has no such request.
func (p *lessonPanel) requestAt(o origin) (*document, *box) {
	if d := p.docs[o.lesson]; d != nil {
		for _, b := range d.boxes {
			if b.at == o.at {
				return d, b
			}
		}
	}
	return nil, nil
}

// run sends a request and those that go along with it, or stops it if it is under way.
// While the API server is being loaded the request waits for it.
func (p *lessonPanel) run(o origin) {
	d, b := p.requestAt(o)
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
	p.runAll(d, d.together(b))
}

// together returns a request's box and those of the requests that are sent right after it.
func (d *document) together(first *box) []*box {
	var boxes []*box
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
func (d *document) given() []*box {
	var boxes []*box
	for _, b := range d.boxes {
		if d.lesson.Steps[b.place.Step].Blocks[b.place.Block].Kind != format.Solution {
			boxes = append(boxes, b)
		}
	}
	return boxes
}

// runAll sends requests one after another; a watch continues while the next ones are sent. All count as under way from
// the start, so that none is offered between two of them. It ends at one that cannot be sent yet, is stopped, or is
// under way.
func (p *lessonPanel) runAll(d *document, boxes []*box) {
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
			if i == 0 {
				p.lab.CatchUp()
			} else {
				p.lab.Settle() // nobody has looked at what the one before has led to
			}
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
func (p *lessonPanel) start(d *document, b *box) *lessonRun {
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
func (p *lessonPanel) carryOut(d *document, b *box, run *lessonRun, begun chan struct{}) {
	var once sync.Once
	defer once.Do(func() { close(begun) })
	b.last = session.Report{}
	answered := func(id int) { b.made = id }
	d.session.Run(run.ctx, p.transport(answered), b.request, func(rep session.Report) {
		if p.running[run.key] != run {
			return // its box was cleared
		}
		b.last = rep
		p.paintRun(d, b)
		if rep.Streaming {
			once.Do(func() {
				d.session.NoteRun(b.at) // what is to be run next is something else
				p.paint()
				close(begun)
			})
		}
	})
	if !p.end(run) {
		return
	}
	if b.last.Sent > 0 && (b.last.Err == nil || b.last.Stopped) {
		d.session.NoteRun(b.at)
	}
	p.save(d)
	p.paint()
	p.sayEnd(b.last, b.request.Label())
}

// paintRun shows how a request goes.
func (p *lessonPanel) paintRun(d *document, b *box) {
	d.article.chip(b.at, func() templ.Component { return p.chip(b) })
	p.paintOutcome(d, b, &b.last)
}

func (p *lessonPanel) paintOutcome(d *document, b *box, r *session.Report) {
	d.article.outcome(b.at, view.Silent(*r), func() templ.Component { return view.Outcome(*r) })
}

// chip returns the chip of a request, with the revisions that it made as far as they are known.
func (p *lessonPanel) chip(b *box) templ.Component {
	if e := p.requests.Get(b.made); e != nil {
		if c := history.ChipOf(e, "", ""); c.Kind == history.Wrote {
			b.last.Wrote, b.last.Revision = c.Text, c.Revision
		}
	}
	return view.Chip(b.last)
}

// entryChanged draws a request's chip again: its revisions may be known after its answer.
func (p *lessonPanel) entryChanged(request int) {
	if p.open == nil {
		return
	}
	for _, b := range p.open.boxes {
		if b.made == request {
			p.open.article.chip(b.at, func() templ.Component { return p.chip(b) })
		}
	}
}

// sayEnd announces to screen readers how a run ended.
func (p *lessonPanel) sayEnd(r session.Report, label string) {
	switch {
	case r.Err != nil && !r.Stopped:
		p.lab.Alert(r.Err.Error())
	case r.Total > 1:
		p.lab.Announce(label + ": all sent")
	default:
		p.lab.Announce(label + ": " + strconv.Itoa(r.Status) + " " + r.Summary.Text)
	}
}

// compose puts a request into the console, for the learner to change, or says
// which one has to be run before it.
func (p *lessonPanel) compose(o origin) {
	d, b := p.requestAt(o)
	if b == nil || p.closed != "" {
		return
	}
	out, err := d.session.Resolve(b.request)
	if err != nil {
		p.paintOutcome(d, b, &session.Report{Total: 1, Err: err, Done: true})
		p.lab.Alert(err.Error())
		return
	}
	go p.begin(d, false)
	q := app.Request{Method: out.Method, Path: out.Target, Header: out.Header, Body: out.Body, Origin: "console"}
	app.Emit(p.bus, app.Compose{Request: q})
	p.lab.Open("console")
}

// copy puts a request on the clipboard, filled in as far as possible.
func (p *lessonPanel) copy(o origin) {
	d, b := p.requestAt(o)
	if b == nil {
		return
	}
	if p.inTerminal(b) {
		p.lab.Copy(b.command, "the command")
		return
	}
	text := b.request.Source
	var missing *session.MissingError
	if out, err := d.session.Resolve(b.request); err == nil {
		text = out.HTTP()
	} else if !errors.As(err, &missing) {
		return
	}
	p.lab.Copy(text, "the request")
}

// clear stops those of a document's requests that are under way and removes the results: of all requests, or of those
// that which reports.
func (p *lessonPanel) clear(d *document, which func(*box) bool) {
	nothing := func() templ.Component { return templ.NopComponent }
	for _, b := range d.boxes {
		if which != nil && !which(b) {
			continue
		}
		if now := p.running[runKey(d, b.at)]; now != nil {
			now.stop()
			delete(p.running, now.key)
		}
		b.made = 0
		d.article.chip(b.at, nothing)
		d.article.outcome(b.at, true, nothing)
	}
}

func runKey(d *document, at string) string { return d.id() + "/" + at }
