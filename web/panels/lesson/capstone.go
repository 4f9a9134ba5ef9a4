//go:build js && wasm

package lesson

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/dom"
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
	a.Action("capstone-edit", func(el *dom.Element,
		_ dom.Event) {
		store("capstone-code", el.Underlying().Get("value").String())
	})
	a.Action("capstone-level", func(*dom.Element, dom.Event) {})
	a.Action("capstone-run", func(*dom.Element, dom.Event) { go p.judge(1) })
	a.Action("capstone-all", func(*dom.Element, dom.Event) { go p.judge(course.CapstoneSeeds) })
	a.Action("capstone-stop", func(*dom.Element, dom.Event) {
		p.capstone.turn++
		p.capstone.view.Running = ""
		if p.capstone.judge.Truthy() {
			p.capstone.judge.Call("stop")
		}
		p.paintPage()
	})
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
		seed = 1 + rand.IntN(999_999) // the others are not known beforehand
	}
	v.Running = ""
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
