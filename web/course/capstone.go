package course

import (
	"fmt"
	"strconv"
)

// Levels are those of the capstone: what each adds that can go wrong.
var Levels = []string{
	"calm: writes only",
	"cut: connections that break, even in the middle of a line",
	"gone: history that is compacted, bookmarks, objects that are created again",
	"large: 1,253 objects, pages, and tokens that expire",
	"unreliable: servers that lag, are busy, or fail",
	"backup: a cluster that is restored to an earlier state",
}

// CapstoneSeeds is how many seeds a level takes to pass: one that is shown, and others.
const CapstoneSeeds = 21

// Skeleton is the code that a learner begins with.
const Skeleton = `export async function reflect({ path, fetch, store, sleep, signal }) {
  // Begin with all that there is.
  const response = await fetch(path, { signal });
  const list = await response.json();
  store.replace(list.items, list.metadata.resourceVersion);

  // Now follow what changes.
}
`

// A Run is a reflector's run with one seed, as the judge reports it (web/capstone).
type Run struct {
	Seed    string   `json:"seed"`
	Level   int      `json:"level"`
	Passed  bool     `json:"passed"`
	Verdict *Verdict `json:"verdict"`
	// Seconds is how long it took, in the cluster's time.
	Seconds float64    `json:"seconds"`
	Log     []RunEntry `json:"log"`
}

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
	end := len(r.Log)
	if r.Verdict != nil {
		for end > 0 && r.Log[end-1].At > r.Verdict.At {
			end--
		}
	}
	return r.Log[max(0, end-around):end]
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
	case "request", "sleep", "store":
		return "code"
	case "answer", "page", "event", "over":
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
		if e.Call == "replace" {
			return fmt.Sprintf("store.replace(%d objects, %s)", e.Objects, e.Version)
		}
		return fmt.Sprintf("store.%s(%s, %s)", e.Call, e.Name, e.Version)
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
	// Running says how far a series of seeds is; empty when none is going on.
	Running string
	Run     *Run
	// Done is how many seeds were passed in a row, Of of how many.
	Done, Of int
	// Failed is why no verdict could be reached.
	Failed string
}

func (v CapstoneView) verdict() string {
	switch {
	case v.Run == nil:
		return ""
	case v.Run.Passed && v.Of > 1:
		return fmt.Sprintf("Level %d is passed: %d of %d seeds.", v.Run.Level, v.Done, v.Of)
	case v.Run.Passed:
		return fmt.Sprintf("Seed %s is passed, %s of the cluster's time. Now the others.", v.Run.Seed,
			clock(v.Run.Seconds*1000))
	}
	return fmt.Sprintf("Rule %s, %s, was broken at %s with seed %s.", v.Run.Verdict.Rule, v.Run.Verdict.Title,
		clock(v.Run.Verdict.At), v.Run.Seed)
}
