package course

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// Link returns the fragment of a link to a lesson, or to a level.
func Link(id string) string {
	if format.IsLevel(id) {
		return "#" + id
	}
	return "#lesson-" + id
}

// PracticeLink returns the fragment of a link to a situation. It can be shared.
func PracticeLink(template string, seed int) string {
	return "#practice-" + template + "-" + strconv.Itoa(seed)
}

// A Target is what a fragment of the page's address leads to.
type Target struct {
	// Page is "lesson", "practice", "question", "exam", "capstone", "levels" or "progress"; empty when the
	// fragment leads to none of them.
	Page string
	// ID is the lesson's, the level's or the template's.
	ID string
	// Step is the index of a lesson's step, or -1.
	Step int
	// Seed is that of a question or of an exam, or a level of the capstone; 0 if none is given.
	Seed uint64
}

// Find reads a fragment: #lesson-paging, #lesson-paging-the-first-page, #lesson-paging-3, #practice,
// #practice-taken-or-free-17, #exam, #exam-7, #capstone, #capstone-3, #levels, #level-0a1b2c3d4e5f6071, #progress.
func (x *Index) Find(hash string) Target {
	name, rest, _ := strings.Cut(strings.TrimPrefix(hash, "#"), "-")
	none := Target{Step: -1}
	switch name {
	case "lesson":
		return x.findLesson(rest)
	case "practice":
		if rest == "" {
			return Target{Page: name, Step: -1}
		}
		at := strings.LastIndexByte(rest, '-')
		t := x.Template(rest[:max(at, 0)])
		seed, err := strconv.ParseUint(rest[at+1:], 10, 64)
		if t == nil || err != nil || seed < 1 || seed > uint64(t.Seeds) {
			return none
		}
		return Target{Page: "question", ID: t.ID, Step: -1, Seed: seed}
	case "exam":
		seed, err := strconv.ParseUint(rest, 10, 53)
		if rest != "" && err != nil {
			return none
		}
		return Target{Page: name, Step: -1, Seed: seed}
	case "level":
		if id := name + "-" + rest; format.IsLevel(id) {
			return Target{Page: "lesson", ID: id, Step: -1}
		}
	case "progress", "capstone", "levels":
		level, err := strconv.ParseUint(rest, 10, 8)
		if name == "capstone" && err == nil && level >= 1 && int(level) <= len(Levels) {
			return Target{Page: name, Step: -1, Seed: level}
		}
		if rest == "" {
			return Target{Page: name, Step: -1}
		}
	}
	return none
}

func (x *Index) findLesson(rest string) Target {
	if x.Lesson(rest) >= 0 {
		return Target{Page: "lesson", ID: rest, Step: -1}
	}
	for _, e := range x.Lessons {
		step, ok := strings.CutPrefix(rest, e.ID+"-")
		if !ok {
			continue
		}
		place := x.Step(e.ID, step).Place
		if n, err := strconv.Atoi(step); place == 0 && err == nil && n <= len(e.Steps) && strconv.Itoa(n) == step {
			place = n // links had the steps' numbers once
		}
		if place > 0 {
			return Target{Page: "lesson", ID: e.ID, Step: place - 1}
		}
	}
	return Target{Step: -1}
}

// After returns what comes after a lesson, and which level of the capstone it opens.
func (x *Index) After(id string) view.NextLink {
	next := view.NextLink{Href: "#capstone", Title: "The capstone: write a reflector, and a controller",
		Label: "The capstone"}
	i := x.Lesson(id)
	if i >= 0 && i+1 < len(x.Lessons) && i+1 != len(x.Course()) {
		e := x.Lessons[i+1]
		next = view.NextLink{Href: Link(e.ID), Title: e.Title, Label: "Next lesson"}
	}
	if n := Opened(id); n > 0 {
		next.Opens, next.OpensHref = "level "+strconv.Itoa(n)+" of the capstone, "+Levels[n-1], CapstoneLink(n)
	}
	return next
}

// StepLink returns the fragment of a link to a lesson's step, which count from 1; to the lesson if it has no such step.
func (x *Index) StepLink(id string, step int) string {
	if title := x.stepTitle(id, step); title != "" {
		return Link(id) + "-" + format.StepID(title)
	}
	return Link(id)
}

// CapstoneLink returns the fragment of a link to a level of the capstone.
func CapstoneLink(level int) string { return "#capstone-" + strconv.Itoa(level) }

// A Part is a part of the course: the places of its lessons.
type Part struct {
	Name    string
	Lessons []int
}

// Parts returns the parts of the course, in order.
func (x *Index) Parts() []Part {
	var parts []Part
	for i, e := range x.Lessons {
		if n := len(parts); n == 0 || parts[n-1].Name != e.Part {
			parts = append(parts, Part{Name: e.Part})
		}
		last := &parts[len(parts)-1]
		last.Lessons = append(last.Lessons, i)
	}
	return parts
}

// Line says in a line what there is to learn, and how long it takes.
func (x *Index) Line() string {
	hours := (x.Minutes() + 30) / 60
	about := fmt.Sprintf("%d hours", hours)
	if hours == 1 {
		about = "an hour"
	}
	return fmt.Sprintf("See for yourself what the Kubernetes API promises: %d lessons, about %s in all.", x.Numbered(),
		about)
}

// String returns the index as JSON.
func (x *Index) String() string {
	b, err := json.Marshal(x)
	if err != nil {
		return "{}"
	}
	return string(b)
}
