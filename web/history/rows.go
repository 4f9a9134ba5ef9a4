package history

// A Row is one line of the list of requests: one request, or a run of them that
// a button of the page made one after the other.
type Row struct {
	*Entry     // the newest of the run
	Count  int // how many there are
	Failed int // how many of them were refused or broke off
}

// Rows are the newest rows, newest first, at most limit; hidden is how many
// requests are older than those.
func (l *Log) Rows(limit int) (rows []Row, hidden int) {
	for i := len(l.entries) - 1; i >= 0; i-- {
		e := l.entries[i]
		bad := 0
		if e.Status >= 400 || e.Phase == Failed {
			bad = 1
		}
		if n := len(rows); n > 0 && rows[n-1].Entry.runsWith(e) {
			rows[n-1].Count++
			rows[n-1].Failed += bad
			continue
		}
		if len(rows) == limit {
			return rows, i + 1
		}
		rows = append(rows, Row{e, 1, bad})
	}
	return rows, 0
}

// runsWith reports whether two requests are of one run: made by a sample
// button, with one verb, on one collection.
func (e *Entry) runsWith(o *Entry) bool {
	return e.Origin == "sample" && o.Origin == "sample" && e.Method == o.Method &&
		e.Info.Verb == o.Info.Verb && e.Info.Resource == o.Info.Resource && e.Info.Group == o.Info.Group &&
		e.Info.Namespace == o.Info.Namespace && e.Info.Subresource == o.Info.Subresource
}
