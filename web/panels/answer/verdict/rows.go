package verdict

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
)

// A row is one kind of verdict.
type row struct {
	name string // of the test that shows it
	fits func(*facts) bool
	tone Tone
	step string // of steps
	say  func(*facts, *Verdict)
}

// rows are all of them, in the order in which they are tried.
var rows = slices.Concat(lostRows, refusedRows, watchRows, listRows, passedRows, getRows, virtualRows, leverRows,
	writeRows)

// title returns what says a title, and words.
func title(text, words string) func(*facts, *Verdict) {
	return func(_ *facts, v *Verdict) { v.Title, v.Words = text, words }
}

// lostRows are those of requests without an answer.
var lostRows = []row{
	{"waiting", func(f *facts) bool { return f.Phase == tap.Pending }, Plain, "waiting", func(f *facts, v *Verdict) {
		v.Title, v.Words = "Waiting for the answer", f.waiting()
		if f.made > 0 {
			v.Words = "It is stored already, at " + itoa(f.last) + "."
		}
	}},
	{"lost and stored", func(f *facts) bool { return f.lost() && f.made > 0 }, Bad, "", func(f *facts, v *Verdict) {
		v.Title = "There was no answer, but it is stored, at " + itoa(f.last) + "."
		v.Words = "The server had written before the answer was lost: sent again, it would be written twice, or conflict."
	}},
	{"no answer", func(f *facts) bool { return f.lost() && f.Phase == tap.Failed }, Bad, "", func(f *facts,
		v *Verdict) {
		v.Title, v.Words = "There was no answer.", f.Err
	}},
	{"aborted", (*facts).lost, Plain, "", func(f *facts, v *Verdict) {
		v.Title = "Aborted before it was answered."
		if f.writes() {
			v.Words = "The server may still carry it out: if it does, its revision is named here."
		}
	}},
}

// waiting returns what an answer waits for, as far as the request shows that.
func (f *facts) waiting() string {
	switch rv := f.Info.Query.Get("resourceVersion"); {
	case f.Info.Verb == "watch":
		return "The API server begins to answer a watch when its cache has the version asked for."
	case rv != "" && rv != "0" && !f.writes():
		return "The API server waits until its watch cache has revision " + rv + ", for 3 seconds at most."
	case f.Info.Verb == "get" || f.Info.Verb == "list":
		return "Without a version it has to be current: the API server waits until its watch cache has caught up with etcd."
	}
	return "The API server has not answered yet."
}

// passedRows are those of what the API server passes on to a Pod, a node or a Service.
var passedRows = []row{
	{"log", func(f *facts) bool { return f.over() && f.Info.Subresource == "log" }, Plain, "log",
		func(f *facts, v *Verdict) {
			v.Title = "The log of the Pod " + f.Info.Name + "."
			v.Words = "No version, and no watch: a log is not an object of the API."
		}},
	{"passed on", func(f *facts) bool { return f.over() && f.passed() }, Plain, "subresource",
		title("Passed on: this is not the API server’s own answer.", "Nothing was stored.")},
}

// passed reports whether the request is passed on.
func (f *facts) passed() bool {
	switch first, _, _ := strings.Cut(f.Info.Subresource, "/"); first {
	case "proxy", "exec", "attach", "portforward":
		return true
	}
	return false
}
