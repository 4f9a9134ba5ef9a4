package lesson

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
)

// capstone is what the panel keeps of the capstone's page.
type capstone struct {
	view course.CapstoneView
	// turn counts what was begun, so that what was stopped is not shown.
	turn int
}

func (p *lessonPanel) loadCapstone() {
	v := &p.capstone.view
	v.Seed = 1
	v.Passed, _ = strconv.Atoi(p.store.get("capstone"))
	p.setLevel(min(v.Passed+1, len(course.Levels)))
}

// setLevel chooses a level, with the code that the learner has for it.
func (p *lessonPanel) setLevel(level int) {
	v := &p.capstone.view
	v.Level, v.Code = level, p.store.get(codeKey(level))
	if v.Code == "" {
		v.Code = course.SkeletonFor(level)
	}
}

// codeKey is where the code of a level is kept: that of a controller is another one.
func codeKey(level int) string {
	if level == course.ControllerLevel {
		return "capstone-controller-code"
	}
	return "capstone-code"
}

// editCode keeps the code.
func (p *lessonPanel) editCode(o origin) {
	p.capstone.view.Code = o.value
	p.store.set(codeKey(p.capstone.view.Level), o.value)
}

func (p *lessonPanel) chooseLevel(o origin) {
	p.setLevel(numberOf(o.value))
	p.paintPage()
}

// openLevels opens all levels, whatever lessons are done.
func (p *lessonPanel) openLevels() {
	p.store.set("capstone-open", "all")
	p.paintPage()
}

// watchRun plays the run that was judged, on the stage.
func (p *lessonPanel) watchRun() {
	if r := p.capstone.view.Run; r != nil {
		app.Emit(p.bus, app.PlayScene{Source: r.Scene()})
	}
}

func (p *lessonPanel) stopJudge() {
	p.capstone.turn++
	p.capstone.view.Running = ""
	p.column.stopJudge()
	p.paintPage()
}

// capstoneView returns the page as it is now.
func (p *lessonPanel) capstoneView() course.CapstoneView {
	v := &p.capstone.view
	done := func(id string) bool { return p.passed(id) >= len(p.index.Lessons[p.index.Lesson(id)].Steps) }
	v.Levels = p.index.LevelsFor(done, v.Passed, p.singles(), p.store.get("capstone-open") != "")
	if l := &v.Levels[course.ControllerLevel-1]; p.controls() {
		l.Passed, l.Open = true, true
	}
	return *v
}

// controls reports whether the level of the controller was passed: it may be before those of the reflector are.
func (p *lessonPanel) controls() bool { return p.store.get("capstone-controller") != "" }

// levelPassed keeps that a level was passed with all its seeds.
func (p *lessonPanel) levelPassed(level int) {
	v := &p.capstone.view
	if level == course.ControllerLevel {
		p.store.set("capstone-controller", "passed")
	} else {
		v.Passed = max(v.Passed, level)
	}
	if v.Passed == course.ControllerLevel-1 && p.controls() {
		v.Passed = course.ControllerLevel
	}
	p.store.set("capstone", strconv.Itoa(v.Passed))
}

// singles are the levels of which one run was passed.
func (p *lessonPanel) singles() (levels []int) {
	_ = json.Unmarshal([]byte(p.store.get("capstone-single")), &levels) // none
	return levels
}

// judgeOnce judges the code with one seed, judgeAll with all that it takes to pass. They block.
func (p *lessonPanel) judgeOnce() { p.judge(1) }

func (p *lessonPanel) judgeAll() { p.judge(course.CapstoneSeeds) }

// judge judges the code with the seed that is given, and with further ones as long as it passes: so many at most. It
// blocks.
func (p *lessonPanel) judge(seeds int) {
	c := &p.capstone
	code, level, seed := p.column.capstoneForm()
	c.turn++
	turn, v := c.turn, &c.view
	v.Level, v.Seed = level, max(seed, 1)
	v.Run, v.Failed, v.Of, v.Done = nil, "", seeds, 0
	seed = v.Seed
	for n := range seeds {
		v.Running = "The judge is running."
		if seeds > 1 {
			v.Running = fmt.Sprintf("The judge is running: seed %d of %d.", n+1, seeds)
		}
		p.paintPage()
		var run *course.Run
		text, err := p.column.judge(code, level, seed)
		if err == nil {
			run, err = course.ParseRun(text)
		}
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
		seed = int(course.DrawSeed(p.draw)) // the others are not known beforehand
	}
	v.Running = ""
	if levels := p.singles(); v.Done > 0 && !slices.Contains(levels, v.Level) {
		if b, err := json.Marshal(append(levels, v.Level)); err == nil {
			p.store.set("capstone-single", string(b))
		}
	}
	if v.Done == course.CapstoneSeeds {
		p.levelPassed(v.Level)
	}
	if p.page.name != "capstone" {
		return
	}
	p.paintPage()
	p.column.showVerdict()
}
