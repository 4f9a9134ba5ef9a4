//go:build js && wasm

package lesson

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/course"
)

// capstone is what the panel keeps of the capstone's page.
type capstone struct {
	view course.CapstoneView
	// judge is the script that judges, once it is loaded; turn counts what was begun, so that
	// what was stopped is not shown.
	judge js.Value
	turn  int
}

func (p *lessonPanel) loadCapstone() {
	v := &p.capstone.view
	v.Code, v.Level, v.Seed = stored("capstone-code"), 1, 1
	if v.Code == "" {
		v.Code = course.Skeleton
	}
	v.Passed, _ = strconv.Atoi(stored("capstone"))
	v.Level = min(v.Passed+1, len(course.Levels))
}

func (p *lessonPanel) capstoneActions() {
	p.loadCapstone()
	a := p.app
	a.Action("capstone-edit", func(el *dom.Element, _ dom.Event) {
		p.capstone.view.Code = el.Underlying().Get("value").String()
		store("capstone-code", p.capstone.view.Code)
	})
	a.Action("capstone-level", func(el *dom.Element, _ dom.Event) {
		p.capstone.view.Level, _ = strconv.Atoi(el.Underlying().Get("value").String())
		p.paintPage()
	})
	a.Action("capstone-run", func(*dom.Element, dom.Event) { go p.judge(1) })
	a.Action("capstone-all", func(*dom.Element, dom.Event) { go p.judge(course.CapstoneSeeds) })
	a.Action("capstone-open", func(*dom.Element, dom.Event) {
		store("capstone-open", "all")
		p.paintPage()
	})
	a.Action("capstone-line", func(el *dom.Element, _ dom.Event) { p.showLine(el.GetAttribute("data-line")) })
	a.Action("capstone-watch", func(*dom.Element, dom.Event) {
		if r := p.capstone.view.Run; r != nil {
			app.Emit(a.Bus, app.PlayScene{Source: r.Scene()})
		}
	})
	a.Action("capstone-stop", func(*dom.Element, dom.Event) {
		p.capstone.turn++
		p.capstone.view.Running = ""
		if p.capstone.judge.Truthy() {
			p.capstone.judge.Call("stop")
		}
		p.paintPage()
	})
}

// capstoneView returns the page as it is now.
func (p *lessonPanel) capstoneView() course.CapstoneView {
	v := &p.capstone.view
	done := func(id string) bool {
		e := p.index.Lessons[p.index.Lesson(id)]
		if d := p.docs[id]; d != nil {
			return d.session.Passed() >= len(e.Steps)
		}
		return len(loadProgress(id).Passed) >= len(e.Steps)
	}
	v.Levels = p.index.LevelsFor(done, v.Passed, p.singles(), stored("capstone-open") != "")
	return *v
}

// singles are the levels of which one run was passed.
func (p *lessonPanel) singles() (levels []int) {
	_ = json.Unmarshal([]byte(stored("capstone-single")), &levels) // none
	return levels
}

// openLevel shows a level, of an address.
func (p *lessonPanel) openLevel(level int) {
	if level > 0 {
		p.capstone.view.Level = level
	}
}

// mountEditor makes an editor of the field for the code, once it is there.
func (p *lessonPanel) mountEditor() {
	area := p.app.Doc.GetElementByID("capstone-code")
	if area == nil && p.page.name == "capstone" {
		p.soon(p.mountEditor) // it is drawn with a later frame
		return
	}
	if area == nil || area.Underlying().Get("parentElement").Get("classList").Call("contains", "is-live").Bool() {
		return
	}
	go func() {
		if editor, err := p.app.Load("editor.js"); err == nil {
			editor.Call("mount", area.Underlying())
		}
	}()
}

// showLine shows a line of the code.
func (p *lessonPanel) showLine(line string) {
	n, _ := strconv.Atoi(line)
	js.Global().Get("document").Call("getElementById", "capstone-code").Call("dispatchEvent",
		js.Global().Get("CustomEvent").New("line", map[string]any{"detail": n}))
}

// field returns the value of one of the page's fields.
func (p *lessonPanel) field(id string) string {
	return p.app.Doc.GetElementByID(id).Underlying().Get("value").String()
}

// judge judges the code with the seed that is given, and with further ones as long as it passes. It blocks.
func (p *lessonPanel) judge(seeds int) {
	c := &p.capstone
	c.turn++
	turn, v := c.turn, &c.view
	code := p.field("capstone-code")
	v.Level, _ = strconv.Atoi(p.field("capstone-level"))
	v.Seed, _ = strconv.Atoi(p.field("capstone-seed"))
	v.Seed = max(v.Seed, 1)
	v.Run, v.Failed, v.Of, v.Done = nil, "", seeds, 0
	seed := v.Seed
	for n := range seeds {
		v.Running = "The judge is running."
		if seeds > 1 {
			v.Running = fmt.Sprintf("The judge is running: seed %d of %d.", n+1, seeds)
		}
		p.paintPage()
		run, err := p.judgeSeed(code, v.Level, seed)
		if turn != c.turn {
			return
		}
		if err != nil {
			v.Failed = err.Error()
			break
		}
		v.Run = run
		if !run.Passed {
			break
		}
		v.Done++
		seed = int(course.DrawSeed(rand.IntN)) // the others are not known beforehand
	}
	v.Running = ""
	if levels := p.singles(); v.Done > 0 && !slices.Contains(levels, v.Level) {
		if b, err := json.Marshal(append(levels, v.Level)); err == nil {
			store("capstone-single", string(b))
		}
	}
	if v.Done == course.CapstoneSeeds && v.Level > v.Passed {
		v.Passed = v.Level
		store("capstone", strconv.Itoa(v.Passed))
	}
	if p.page.name != "capstone" {
		return
	}
	p.paintPage()
	p.soon(func() {
		if el := p.page.text.QuerySelector(".capstone-result"); el != nil {
			el.Underlying().Call("scrollIntoView", map[string]any{"block": "start"})
		}
	})
}

// judgeSeed judges the code with one seed. It blocks.
func (p *lessonPanel) judgeSeed(code string, level, seed int) (*course.Run, error) {
	if !p.capstone.judge.Truthy() {
		loaded, err := p.app.Load("capstone.js")
		if err != nil {
			return nil, err
		}
		p.capstone.judge = loaded
	}
	text, err := app.Await(p.capstone.judge.Call("run", code, level, seed))
	if err != nil {
		return nil, err
	}
	return course.ParseRun(text.String())
}
