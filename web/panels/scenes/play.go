package scenes

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	// settled is how long nobody may have written until a new cluster has made what it makes by itself.
	settled = 150 * time.Millisecond
	// between is the pause after each request of a step, so that its way over the stage is seen.
	between = 120 * time.Millisecond
	// patience is how long a step's check may take to find what the step says.
	patience = 15 * time.Second
	// longer is the same where programs take part, which look at some things every few seconds, or after a back-off;
	// longest where they do, and nobody has disturbed them: then it takes as long as it takes on that machine.
	longer  = 45 * time.Second
	longest = 5 * time.Minute
	// read is how long a step is shown when a scene plays by itself, glance when it is the intro.
	read   = 5 * time.Second
	glance = 2 * time.Second
)

// playing is the scene that plays.
type playing struct {
	scene   *format.Scene
	session *session.Session
	runner  *session.Runner
	ctx     context.Context
	stop    context.CancelFunc
	// back is the target that requests go to when the scene is left; there: they go to the scene's cluster.
	back  string
	there bool
	// intro says that it is the scene that a first visit begins with.
	intro bool

	says  []string       // of the steps that are done
	heads []int64        // the newest revision after the setup, and after each of them
	named int64          // the newest revision that an answer has named
	lanes map[int]string // by request
	mine  map[string]bool
	last  int // the request of the step whose answer is shown

	shown           int // how many of the steps the playhead shows
	moving          bool
	busy, disturbed bool
	touched         bool // by a person, since the sentence that is shown came
	problem         string
	auto            int // which playing by itself it is; 0: it waits for Space
}

// transport makes a scene's requests as the page's own.
type transport struct {
	app *app.App
	now *playing
}

// Do implements session.Transport.
func (t transport) Do(ctx context.Context, r format.Outgoing, from session.Origin, head func(int, []tap.Field),
	text func(string)) error {
	q := app.Request{Method: r.Method, Path: r.Target, Header: r.Header, Body: r.Body, Origin: string(from)}
	return t.app.Stream(ctx, q, func(h app.Response) {
		if watch := strings.Contains(r.Target, "watch="); from == session.FromLesson && (!watch || t.now.last == 0) {
			t.now.last = h.Request
		}
		head(h.Status, h.Header)
	}, text)
}

// do does what a panel asks for.
func (p *panel) do(e app.PlayScene) {
	switch {
	case e.Source != "":
		go p.playSource(e.Source)
	case e.ID != "":
		go func() {
			if n := p.play(e.ID); n != nil && e.Act == app.AutoPlay {
				p.goAlone(n, read)
			}
		}()
	case p.now == nil:
	case e.Act == app.NextStep:
		p.now.auto = 0
		go p.next()
	case e.Act == app.BackStep:
		p.now.auto = 0
		p.back()
	case e.Act == app.AutoPlay:
		p.resumed = true
		p.playAlone()
	case e.Act == app.LeaveScene:
		p.leave()
	}
}

// playSource plays a scene that is in no file. It blocks.
func (p *panel) playSource(source string) {
	const id = "run"
	s, err := format.ParseSceneAs(id, source)
	if err == nil && p.load() {
		p.known[id] = s
		p.play(id)
	} else if err != nil {
		p.Toast("That cannot be played: " + err.Error())
	}
}

// play begins a scene, in a new cluster, and takes its first step. It returns what plays then, or nil if something else
// was asked for meanwhile, or the scene cannot be loaded. It blocks.
func (p *panel) play(id string) *playing {
	p.opening++
	opening := p.opening
	if !p.load() || p.known[id] == nil || opening != p.opening {
		return nil
	}
	back := p.State().Target
	if p.now != nil {
		back = p.now.back
		p.now.stop()
		p.now.there = false
	}
	p.say("")
	p.Open("stage")
	n := p.begin(p.known[id], back)
	p.now = n
	p.setUp(n, 1)
	if p.now != n {
		return nil
	}
	return n
}

// begin returns a scene of which nothing is done.
func (p *panel) begin(s *format.Scene, back string) *playing {
	n := &playing{scene: s, back: back, lanes: map[int]string{},
		mine: map[string]bool{}}
	for _, origin := range [...]session.Origin{session.FromLesson, session.FromSetup, session.FromSample} {
		n.mine[string(origin)] = true
	}
	n.ctx, n.stop = context.WithCancel(context.Background())
	n.session = session.New(s.Lesson, session.Progress{}, p.Requests)
	n.runner = &session.Runner{Session: n.session, Transport: transport{p.App, n}, Wait: n.wait,
		AfterRequest: func() {
			time.Sleep(between)
			p.Settle()
		}}
	n.runner.Lever = func(_ context.Context, l format.Lever) error {
		_, err := p.Promise("programLever", l.Do, l.Program, l.Resource, l.Seconds)
		return err
	}
	if p.Kubectl {
		n.mine["terminal"] = true
		go p.Promise("openTerminal") // kubectl may have to be downloaded, which is begun before its first command
		n.runner.Command = func(ctx context.Context, text string) (err error) {
			defer p.Settle()
			n.last, err = p.Command(text)
			return err
		}
	}
	return n
}

// programs says which run in the cluster of a scene: see App.OpenScene.
func programs(s *format.Scene) string {
	switch {
	case !s.Programs:
		return ""
	case s.Gates != "":
		return s.Gates
	}
	return "on"
}

// patience returns how long a step's check may take to find what the step says.
func (n *playing) patience() time.Duration {
	switch {
	case !n.scene.Programs:
		return patience
	case n.disturbed:
		return longer
	}
	return longest
}

// errNotFound is the error of a step whose check does not find what the step says.
var errNotFound = errors.New("the step’s check has failed")

// wait calls done every few milliseconds until it reports true.
func (n *playing) wait(ctx context.Context, done func() bool) error {
	for begun := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Since(begun) > n.patience():
			return errNotFound
		}
	}
	return nil
}

// why says why a step has failed.
func (n *playing) why(err error) string {
	switch {
	case n.disturbed:
		return "This step did not work as expected: someone else has changed something."
	case errors.Is(err, errNotFound):
		return "This step did not work as expected: what it waits for has not happened."
	}
	return "This step did not work as expected: a part of it has failed."
}

// setUp makes a new cluster with what a scene begins with, and takes the first steps. It blocks.
func (p *panel) setUp(n *playing, steps int) {
	n.busy = true
	p.publish()
	err := p.prepare(n)
	if p.now != n { // another one plays by now
		return
	}
	if err != nil {
		n.busy, n.problem = false, "The scene could not be set up: "+err.Error()
		p.publish()
		return
	}
	for i := 0; i < steps && p.now == n && n.problem == ""; i++ {
		p.step(n)
	}
}

// prepare makes what a scene begins with.
func (p *panel) prepare(n *playing) error {
	if err := p.OpenScene(n.intro, programs(n.scene)); err != nil {
		return err
	}
	n.there = true
	p.Travel(0)
	n.session.SetCluster(p.Seen.Cluster)
	if n.scene.Programs {
		if err := p.awaitNodes(n); err != nil {
			return err
		}
	}
	p.settle(n)
	t := transport{p.App, n}
	res, err := p.Fetch(n.ctx, app.Request{Method: "GET", Path: wellknown.ControlPlane, Quiet: true})
	if err != nil {
		return err
	}
	now, err := format.ParseSettings(res.Body)
	if err != nil {
		return err
	}
	if patch := format.Changes(now, now, n.scene.Requires).Patch; patch != "" {
		res, err := p.Fetch(n.ctx, app.Request{Method: "PATCH", Path: wellknown.ControlPlane, Body: patch,
			Origin: string(session.FromSetup), Header: app.ContentType("application/merge-patch+json")})
		if err == nil && res.Status >= 400 {
			err = errors.New(app.Message(res.Body))
		}
		if err != nil {
			return err
		}
	}
	if err := n.session.Prepare(n.ctx, t, nil); err != nil {
		return err
	}
	n.heads = []int64{p.settle(n)}
	return nil
}

// settle waits until nobody has written for a moment and all that answers have named is known; it returns how far that
// is.
func (p *panel) settle(n *playing) (head int64) {
	head = p.Seen.Head
	for begun, since := time.Now(), time.Now(); n.ctx.Err() == nil && time.Since(since) < settled; {
		time.Sleep(10 * time.Millisecond)
		if p.Seen.Head != head || head < n.named && time.Since(begun) < patience {
			head, since = p.Seen.Head, time.Now()
		}
	}
	return max(head, n.named)
}

// step takes the next step. It blocks.
func (p *panel) step(n *playing) {
	i := len(n.says)
	n.busy, n.last, n.touched = true, 0, false
	p.publish()
	err := n.runner.Solve(n.ctx, i)
	said := ""
	if err == nil {
		said, err = n.session.Fill(n.scene.Sentence(i), func(request int) string { return n.lanes[request] })
	}
	if p.now != n || n.ctx.Err() != nil {
		return
	}
	n.busy = false
	if err != nil {
		p.Page.Call("info", err.Error())
		n.problem = n.why(err)
		n.auto = 0
		p.publish()
		return
	}
	n.heads = append(n.heads, p.settle(n))
	n.says = append(n.says, said)
	n.shown, n.touched = len(n.says), false
	if n.last != 0 && !n.intro { // the panel of the answer shows it, and nothing else is lit up
		p.Select(app.Selection{Request: n.last}, "scenes")
		p.Select(app.Selection{}, "scenes")
	}
	p.publish()
}
