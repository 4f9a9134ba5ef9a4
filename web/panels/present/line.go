package present

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/ui"
)

// lineActions wires the line for commands.
func (p *panel) lineActions() {
	p.OnKey("/", func(app.Press) bool {
		if !p.Presents() || p.Closed != "" {
			return false
		}
		p.keys = keyTray{}
		p.open, p.picked = true, -1
		p.setLine("")
		p.input.Focus() // at once: the next key is for the line, and pulls no lever
		return true
	})
	p.OnUse("present-type", func(u app.Use) {
		if u.Type() == "input" {
			p.picked = -1
			p.complete()
			return
		}
		if p.lineKey(u.Press().Key) {
			u.Stop()
		}
	})
	p.OnUse("present-option", func(u app.Use) {
		p.setLine(u.Attr("data-line"))
		p.input.Focus()
	})
	p.OnUse("present-run", func(app.Use) {
		line := p.line()
		if p.picked >= 0 && p.picked < len(p.options) {
			line = p.options[p.picked].Line
		}
		p.run(line)
	})
}

// lineKey uses a key that is pressed in the line, and reports whether it did.
func (p *panel) lineKey(key string) bool {
	n := len(p.options)
	switch {
	case key == "Escape":
		p.close()
		p.draw()
	case key == "Tab" && n > 0:
		p.setLine(p.options[max(p.picked, 0)].Line)
	case key == "ArrowDown" && n > 0:
		p.picked = (p.picked + 1) % n
		p.complete()
	case key == "ArrowUp" && n > 0:
		p.picked = (max(p.picked, 0) + n - 1) % n
		p.complete()
	default:
		return false
	}
	return true
}

func (p *panel) line() string { return p.input.Value() }

func (p *panel) setLine(line string) {
	p.input.Set(line)
	p.picked = -1
	p.complete()
}

// close closes the line; the keys are the stage's again.
func (p *panel) close() {
	if !p.open {
		return
	}
	p.open, p.options = false, nil
	p.input.Set("")
	p.Field("st-ruler").Focus()
}

// complete offers what the line may become.
func (p *panel) complete() {
	typed := p.line()
	p.options = Complete(typed, p.context())
	ghost := ""
	if len(p.options) > 0 {
		ghost = strings.TrimPrefix(p.options[max(min(p.picked, len(p.options)-1), 0)].Line, strings.TrimLeft(typed, " "))
	}
	p.Page.Call("text", "present-ghost", typed+ghost)
	p.Describe("present-input", "aria-expanded", strconv.FormatBool(len(p.options) > 0))
	active := ""
	if p.picked >= 0 {
		active = "present-option-" + strconv.Itoa(p.picked)
	}
	p.Describe("present-input", "aria-activedescendant", active)
	p.draw()
}

// context returns what there is now.
func (p *panel) context() Context {
	c := Context{Lanes: p.lanes, Servers: max(1, len(p.Seen.State.Caches)), Head: p.Seen.Head, Catalog: p.Catalog,
		Known: p.Seen.Known(), Scenes: p.scenes, Playing: p.Scene.ID != ""}
	for _, l := range p.lanes {
		if l.Request == p.Selection.Request && l.Request != 0 {
			c.Chosen = l.ID
		}
	}
	return c
}

// run runs a line. Its answer is the next sentence; what is wrong with it is said at once, and the line stays. A line
// that names a type before the types are known waits for them.
func (p *panel) run(line string) {
	cmd, err := Parse(line, p.context())
	if !errors.Is(err, errNoTypes) {
		p.finish(cmd, err)
		return
	}
	go func() {
		p.Discover()
		if p.open {
			p.finish(Parse(line, p.context()))
		}
	}()
}

// finish carries out a parsed line, or says what is wrong with it.
func (p *panel) finish(cmd Command, err error) {
	if err != nil {
		p.fail(err.Error())
		return
	}
	p.close()
	p.do(cmd)
	p.draw()
}

// fail says what is wrong.
func (p *panel) fail(text string) {
	p.answer, p.bad = text, true
	p.draw()
}

// do carries a command out.
func (p *panel) do(cmd Command) {
	p.answer, p.acted = "", true
	if act, ok := cmd.Act(); ok {
		app.Emit(p.Bus, act)
		return
	}
	switch cmd.Verb {
	case "request":
		go p.request(cmd)
	case "cut":
		app.Emit(p.Bus, app.LaneAct{Lane: cmd.Lane, Act: app.CutLane})
	case "close":
		app.Emit(p.Bus, app.LaneAct{Lane: cmd.Lane, Act: app.CloseLane})
	case "resume":
		app.Emit(p.Bus, app.LaneAct{Lane: cmd.Lane, Act: app.ResumeLane})
	case "list again":
		app.Emit(p.Bus, app.LaneAct{Lane: cmd.Lane, Act: app.ListLane})
	case "lag":
		p.setServer(cmd.Server, func(r *ui.CacheRow) { r.Lag, r.Frozen = cmd.N, false })
	case "freeze", "thaw":
		p.setServer(cmd.Server, func(r *ui.CacheRow) { r.Frozen = cmd.Verb == "freeze" && !r.Frozen })
	case "undo":
		p.Click("[data-action=undo]")
	case "live":
		p.Travel(0)
	case "scene":
		app.Emit(p.Bus, app.PlayScene{ID: cmd.Scene})
	default:
		app.Emit(p.Bus, app.PlayScene{Act: cmd.Verb})
	}
}

// setServer changes how an API server's cache follows etcd.
func (p *panel) setServer(i int, change func(*ui.CacheRow)) {
	rows := ui.CacheRows(p.Seen.State)
	if i >= len(rows) {
		return
	}
	back := ui.CachePatch(rows)
	change(&rows[i])
	words := rows[i].Name + " " + rows[i].Does()
	app.Emit(p.Bus, app.ChangeSetting{Patch: ui.CachePatch(rows), Back: back, Label: words, Done: words + "."})
}

// request makes a command's requests, as a person's. It blocks.
func (p *panel) request(cmd Command) {
	r := app.Request{Method: "GET", Path: cmd.Path, Origin: "console"}
	if cmd.Table {
		r.Header = []tap.Field{{Name: "Accept", Value: kubectlAccept}}
	}
	if strings.Contains(cmd.Path, "watch=") {
		p.watch(r)
		return
	}
	app.Emit(p.Bus, app.Requesting{Request: r})
	res, err := p.Fetch(context.Background(), r)
	switch {
	case err != nil:
		p.fail("There was no answer: " + err.Error())
		return
	case cmd.Watch == "" || res.Status != 200:
		return
	}
	o, err := objects.Read(res.Body)
	if err != nil || o.Revision == 0 {
		p.fail("The list has no version to watch from.")
		return
	}
	r.Path = strings.Replace(cmd.Watch, listVersion, strconv.FormatInt(o.Revision, 10), 1)
	p.watch(r)
}

// watch opens a watch, whose events the stage shows. It blocks while it is open.
func (p *panel) watch(r app.Request) {
	err := p.Stream(context.Background(), r, func(h app.Response) {
		if h.Status >= 400 {
			p.fail("The watch was refused: " + strconv.Itoa(h.Status) + ".")
		}
	}, nil)
	if err != nil && !errors.Is(err, app.ErrAborted) && !p.known(r.Path) {
		p.fail("The watch could not be opened: " + err.Error())
	}
}

// known reports whether a watch of that path is a lane: how it ended is seen there.
func (p *panel) known(path string) bool {
	for _, l := range p.lanes {
		if e := p.Requests.Get(l.Request); e != nil && e.URL == path {
			return true
		}
	}
	return false
}
