package course

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Levels are those of the capstone: what each adds that can go wrong.
var Levels = []string{
	"calm: writes only",
	"cut: connections that break, even in the middle of a line",
	"gone: history that is compacted, bookmarks, objects that are created again",
	"large: 1,253 objects, pages, and tokens that expire",
	"unreliable: servers that lag, are busy, or fail",
	"backup: a cluster that is restored to an earlier state",
	"controller: a ReplicaSet to reconcile, with a cache that is late",
}

// ControllerLevel is the level at which not a reflector is written but what is built on one: a controller.
const ControllerLevel = 7

// opens are the lessons that open the levels.
var opens = []string{"list-then-watch", "watch-starts", "410-gone", "paging", "stale-reads", "too-new", "namespaces"}

// A Level is one of the capstone, as a learner stands to it.
type Level struct {
	Number int
	Name   string
	// Open says that it can be tried. Lesson opens it, whose place in the course is Number and Title.
	Open bool
	// Passed says that it was passed with all its seeds, Single that one run was.
	Passed, Single bool
	After          Entry
}

// LevelsFor returns the levels. done says which lessons are passed, passed is the highest level that is, single are
// those of which one run was passed, and all that the learner wants them all.
func (x *Index) LevelsFor(done func(lesson string) bool, passed int, single []int, all bool) []Level {
	var out []Level
	for i, name := range Levels {
		l := Level{Number: i + 1, Name: name, Passed: i < passed, Single: slices.Contains(single, i+1)}
		if at := x.Lesson(opens[i]); at >= 0 {
			l.After = x.Lessons[at]
		}
		l.Open = all || l.Passed || l.After.ID == "" || done(l.After.ID)
		out = append(out, l)
	}
	return out
}

// Opened returns the number of the level that a lesson opens; 0: none.
func Opened(lesson string) int { return 1 + slices.Index(opens, lesson) }

// state says how far the learner is.
func (l Level) state() string {
	switch {
	case l.Passed:
		return "✓ passed"
	case !l.Open:
		return "after lesson " + strconv.Itoa(l.After.Number)
	case l.Single:
		return "one run passed"
	}
	return ""
}

// CapstoneSeeds is how many seeds a level takes to pass: one that is shown, and others.
const CapstoneSeeds = 21

// SkeletonFor returns the code that a learner begins with at a level.
func SkeletonFor(level int) string {
	if level == ControllerLevel {
		return controllerSkeleton
	}
	return reflectorSkeleton
}

const reflectorSkeleton = `export async function reflect({ path, fetch, store, sleep, signal }) {
  // Begin with all that there is.
  const response = await fetch(path, { signal });
  const list = await response.json();
  store.replace(list.items, list.metadata.resourceVersion);

  // Now follow what changes.
}
`

const controllerSkeleton = `export async function reconcile({ namespace, name, replicaSet, pods, versions, fetch }) {
  // What there is, as the cache has it: is it what is wanted?
  const mine = pods.filter((pod) => pod.metadata.name.startsWith(name));
  if (mine.length < replicaSet.spec.replicas) {
    const pod = { metadata: { generateName: name + "-" }, spec: replicaSet.spec.template.spec };
    await fetch("/api/v1/namespaces/" + namespace + "/pods", { method: "POST", body: JSON.stringify(pod) });
  }
}
`

// A Run is a reflector's run with one seed, as the judge reports it (web/course/capstone).
type Run struct {
	Seed    string   `json:"seed"`
	Level   int      `json:"level"`
	Passed  bool     `json:"passed"`
	Verdict *Verdict `json:"verdict"`
	// Seconds is how long it took, in the cluster's time.
	Seconds float64 `json:"seconds"`
	// Line is that of the code in which it ended with an error; 0: it did not, or that is not known.
	Line int `json:"line"`
	// Path is that of the collection, which had so many Objects at first.
	Path    string     `json:"path"`
	Objects int        `json:"objects"`
	Log     []RunEntry `json:"log"`
	// Beside is what the code of ControllerLevel and the real controller wrote in the same steps.
	Beside []Beside `json:"beside"`
}

// Beside is a step in which a number of Pods was wanted, and what was written then, as lines.
type Beside struct {
	Wanted      int
	Yours, Real []string
}

// other reports whether a line of one side is missing on the other.
func other(line string, lines []string) bool { return !slices.Contains(lines, line) }

// A Verdict names the rule that was broken first.
type Verdict struct {
	Rule, Title, Text string
	// At is when, in milliseconds of the cluster's time.
	At float64
	// Revision is the one that it is about, if it is about one.
	Revision *int64
}

// A RunEntry is an event of a run.
type RunEntry struct {
	At   float64 `json:"at"`
	What string  `json:"what"`

	By, Verb, Name, Text, URL, Version, Type, How, Call string
	ID, Status, Items, Objects, Pieces                  int
	Revision                                            int64
	More                                                bool
	Seconds                                             float64
}

// ParseRun reads a run.
func ParseRun(text string) (*Run, error) { return parse[Run](text) }

// around is how many entries before a verdict are shown.
const around = 14

// Before returns the entries that lead to the verdict; without one, the last ones.
func (r *Run) Before() []RunEntry {
	all := r.until()
	return all[max(0, len(all)-around):]
}

// clock writes milliseconds of the cluster's time as minutes and seconds.
func clock(ms float64) string {
	s := int(ms / 1000)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// who says who did what the entry is about: somebody else, the code, or the server.
func (e RunEntry) who() string {
	switch e.What {
	case "write", "fault":
		return "cluster"
	case "request", "sleep", "store", "print", "call", "settled":
		return "code"
	case "answer", "page", "event", "over", "cache":
		return "answer"
	}
	return "end"
}

// words describes the entry.
func (e RunEntry) words() string {
	switch e.What {
	case "write":
		return fmt.Sprintf("%s: %s %s, revision %d", e.By, e.Verb, e.Name, e.Revision)
	case "fault":
		return e.Text
	case "request":
		return "request " + strconv.Itoa(e.ID) + ": " + e.URL
	case "answer":
		return fmt.Sprintf("answer to %d: %d", e.ID, e.Status)
	case "page":
		text := fmt.Sprintf("answer to %d: %d objects as of %s", e.ID, e.Items, e.Version)
		if e.More {
			text += ", and there are more"
		}
		return text
	case "event":
		text := fmt.Sprintf("stream %d: %s %s, version %s", e.ID, e.Type, e.Name, e.Version)
		if e.Pieces > 1 {
			text += fmt.Sprintf(", in %d pieces", e.Pieces)
		}
		return text
	case "over":
		return fmt.Sprintf("%d: %s", e.ID, e.How)
	case "sleep":
		return fmt.Sprintf("sleep(%g)", e.Seconds)
	case "store":
		switch {
		case e.Call == "replace" && e.Objects >= 0:
			return fmt.Sprintf("store.replace(%d objects, %s)", e.Objects, e.Version)
		case e.Call == "progress":
			return fmt.Sprintf("store.progress(%s)", e.Version)
		}
		return fmt.Sprintf("store.%s(%s, %s)", e.Call, e.Name, e.Version)
	case "call":
		return fmt.Sprintf("call %d of reconcile: %d Pods, version %s", e.ID, e.Objects, e.Version)
	case "settled":
		if e.Text != "" {
			return "reconcile throws " + e.Text
		}
		return "reconcile returns"
	case "cache":
		return fmt.Sprintf("the cache gets %s %s, version %s", e.Type, e.Name, e.Version)
	case "print":
		return "console.log: " + e.Text
	case "calm":
		return "from here on there are no writes and no failures"
	case "stop":
		return "the signal is aborted"
	}
	return e.What
}

// A CapstoneView is what the capstone's page shows.
type CapstoneView struct {
	// Code is what the editor has at first.
	Code  string
	Level int
	Seed  int
	// Passed is the highest level that was passed.
	Passed int
	Levels []Level
	// Running says how far a series of seeds is; empty when none is running.
	Running string
	Run     *Run
	// Done is how many seeds were passed in a row, Of of how many.
	Done, Of int
	// Failed is why no verdict could be reached.
	Failed string
}

// controls reports whether the level that is chosen is ControllerLevel.
func (v CapstoneView) controls() bool { return v.Level == ControllerLevel }

// editor is the key of the editor: of another one for another text.
func (v CapstoneView) editor() string {
	if v.controls() {
		return "editor-controller"
	}
	return "editor"
}

// closed returns the first level that no lesson has opened yet; nil: all are open.
func (v CapstoneView) closed() *Level {
	for i := range v.Levels {
		if !v.Levels[i].Open {
			return &v.Levels[i]
		}
	}
	return nil
}

// open reports whether the level that is chosen can be tried.
func (v CapstoneView) open() bool {
	return v.Level < 1 || v.Level > len(v.Levels) || v.Levels[v.Level-1].Open
}

func (v CapstoneView) verdict() string {
	switch {
	case v.Run == nil:
		return ""
	case v.Run.Passed && v.Done < v.Of:
		return fmt.Sprintf("%d of %d seeds of level %d are passed so far.", v.Done, v.Of, v.Run.Level)
	case v.Run.Passed && v.Of > 1:
		return fmt.Sprintf("Level %d is passed: all %d seeds were, one after another.", v.Run.Level, v.Done)
	case v.Run.Passed:
		return fmt.Sprintf("One run of level %d is passed: seed %s, %s of the cluster’s time.", v.Run.Level, v.Run.Seed,
			clock(v.Run.Seconds*1000))
	case v.Of > 1:
		return fmt.Sprintf("Rule %s, %s, was broken at %s with seed %s, after %d of %d seeds were passed.",
			v.Run.Verdict.Rule, v.Run.Verdict.Title, clock(v.Run.Verdict.At), v.Run.Seed, v.Done, v.Of)
	}
	return fmt.Sprintf("Rule %s, %s, was broken at %s with seed %s.", v.Run.Verdict.Rule, v.Run.Verdict.Title,
		clock(v.Run.Verdict.At), v.Run.Seed)
}

// line is that of the code which the error is in; 0: there is no such line, or it is not known.
func (v CapstoneView) line() int {
	if v.Run != nil {
		return v.Run.Line
	}
	if rest, ok := strings.CutPrefix(v.Failed, "Line "); ok {
		digits, _, _ := strings.Cut(rest, ":")
		n, _ := strconv.Atoi(digits)
		return n
	}
	return 0
}
