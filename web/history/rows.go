package history

import "github.com/tabernetes/tabernetes/web/tap"

// A Row is one line of the list of requests: one request, or a run of them that
// a button of the page made one after another.
type Row struct {
	*tap.Exchange     // the newest of the run
	Count         int // how many there are; of an unfolded run, in its first row
	Failed        int // how many of them were refused or broke off
	// Run names a run of several requests, 0: the row stands for one that is alone.
	// Open says that each request of the run has a separate row.
	Run  int
	Open bool
	// Wrote are the revisions that all of a run's requests made.
	Wrote []Span
}

// Chip returns the row's chip, given what ChipOf is: that of a folded run names what all of its requests wrote.
func (r Row) Chip(lane, waits string) Chip {
	c := ChipOf(r.Exchange, lane, waits)
	if len(r.Wrote) > 0 && (c.Kind == NoChip || c.Kind == Wrote) {
		return wroteChip(r.Wrote)
	}
	return c
}

// bad reports whether the request was refused, or broke off.
func bad(e *tap.Exchange) bool { return e.Status >= 400 || e.Phase == tap.Failed || e.ErrorCode != 0 }

// setsUp reports whether the request was made when a lesson was set up.
func setsUp(e *tap.Exchange) bool { return e.Origin == "setup" }

// Setup reports whether the row stands for all requests of a lesson's setup. What they were answered, a 404 for what is
// not there to be deleted among them, is the lesson's to judge.
func (r Row) Setup() bool { return r.Count > 1 && !r.Open && setsUp(r.Exchange) }

// runsWith reports whether two requests are of one run: made when a lesson was set up, or by a sample
// button, with one verb, on one collection.
func runsWith(e, o *tap.Exchange) bool {
	if setsUp(e) && setsUp(o) {
		return e.Kept == o.Kept
	}
	return e.Origin == "sample" && o.Origin == "sample" && e.Method == o.Method && e.Kept == o.Kept &&
		e.Info.Verb == o.Info.Verb && e.Info.Resource == o.Info.Resource && e.Info.Group == o.Info.Group &&
		e.Info.Namespace == o.Info.Namespace && e.Info.Subresource == o.Info.Subresource
}

// appendRun appends the rows of a run, given from its newest request on. A run
// is known by its oldest request, which stays the same while the run grows. In an
// ascending list that one is at the top, and has the count.
func appendRun(rows []Row, run []*tap.Exchange, open map[int]bool, ascending bool) []Row {
	if len(run) == 1 {
		return append(rows, single(run[0]))
	}
	id := run[len(run)-1].ID
	whole := Row{Exchange: run[0], Count: len(run), Run: id, Open: open[id]}
	for _, e := range run {
		if bad(e) {
			whole.Failed++
		}
	}
	if !whole.Open {
		for i := len(run) - 1; i >= 0; i-- {
			whole.Wrote = joinSpans(whole.Wrote, run[i].Source.Wrote)
		}
		return append(rows, whole)
	}
	top := 0
	if ascending {
		top = len(run) - 1
	}
	for i, e := range run {
		row := single(e)
		row.Run, row.Open = id, true
		if i == top {
			row.Count = whole.Count
		}
		rows = append(rows, row)
	}
	return rows
}

// single returns the row of one request.
func single(e *tap.Exchange) Row {
	r := Row{Exchange: e, Count: 1}
	if bad(e) {
		r.Failed = 1
	}
	return r
}
