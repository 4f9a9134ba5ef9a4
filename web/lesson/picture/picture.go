// Package picture computes what the stage shows of a goal: of requests that were made (Of), as far as several ways have
// it in common (Common), and what one lacks of another (Compare). Rows are compared by their path, by what a watch
// begins with, by the kinds of signs in their order, and by how a watch ends; never by revisions. What only one of two
// pictures has more of is no difference.
//
// Costs: those of the requests that count for a goal, which are few; pictures are bounded by package format.
package picture

import (
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// Of returns the picture of requests, in the order in which they were made. commit returns what is known of a revision;
// a write of which nothing is known yet is left out. log has the requests.
func Of(log *tap.Log, requests []*tap.Exchange, commit func(int64) (revisions.Commit, bool)) format.Picture {
	revs, writes := written(requests, commit)
	place := func(rev int64) int {
		n, found := slices.BinarySearch(revs, rev)
		if found {
			n++
		}
		return n
	}
	var p format.Picture
	if writes != nil {
		p = append(p, format.PictureRow{Kind: format.PictureWrites, Signs: writes})
	}
	p = append(p, watches(log, requests, place)...)
	p = append(p, answers(requests)...)
	return p[:min(len(p), format.MaxPictureRows)]
}

// written returns the revisions that requests have made, in ascending order, and their signs.
func written(requests []*tap.Exchange, commit func(int64) (revisions.Commit, bool)) (
	revs []int64, signs []format.PictureSign) {
	for _, x := range requests {
		for _, span := range x.Source.Wrote {
			for rev := span.First; rev <= span.Last && len(revs) <= format.MaxPictureSigns; rev++ {
				revs = append(revs, rev)
			}
		}
	}
	slices.Sort(revs)
	all := revs
	revs = nil
	for _, rev := range all {
		c, known := commit(rev)
		if !known || len(revs) == format.MaxPictureSigns {
			continue
		}
		revs = append(revs, rev)
		signs = append(signs, format.PictureSign{Name: verbs[c.Verb], Of: apipath.GroupResource(c.Group, c.Resource),
			Place: len(revs)})
	}
	return revs, signs
}

var verbs = map[revisions.Verb]string{revisions.Added: "added", revisions.Modified: "modified",
	revisions.Deleted: "deleted"}

// watches returns the rows of watches, as the stage's model has their lanes.
func watches(log *tap.Log, requests []*tap.Exchange, place func(int64) int) (rows format.Picture) {
	m := timeline.New(log)
	for _, x := range requests {
		if x.Info.Verb != "watch" || x.Status != 200 || x.Binary {
			continue
		}
		m.Tap(tap.Event{Type: tap.Head, ID: x.ID, Time: x.Answered, Source: &x.Source})
		m.Tap(tap.Event{Type: tap.Chunk, ID: x.ID, Time: x.Ended})
	}
	for _, l := range m.Lanes.List {
		row := format.PictureRow{Kind: format.PictureWatch, Path: l.Target.Path}
		add := func(name string, rev int64) {
			if len(row.Signs) < format.MaxPictureSigns-1 {
				row.Signs = append(row.Signs, format.PictureSign{Name: name, Place: place(rev)})
			}
		}
		add(starts[l.First().Start], l.First().StartRev)
		if l.State.Len() > 0 {
			add("initial", 0)
		}
		for i := range l.Marks.Len() {
			if name := events[l.Marks.At(i).Kind]; name != "" {
				add(name, l.Marks.At(i).Rev)
			}
		}
		last := format.PictureSign{Name: "arrow", Place: place(1 << 62)}
		switch {
		case l.Code != 0:
			last = format.PictureSign{Name: strconv.Itoa(l.Code)}
		case l.Ending != timeline.Open:
			last = format.PictureSign{Name: "cap", Place: place(l.EndHead)}
		}
		last.Loose = l.Code == 0 && l.Target.Query.Has("timeoutSeconds")
		row.Signs = append(row.Signs, last)
		rows = append(rows, row)
	}
	return rows
}

var starts = map[timeline.Start]string{timeline.FromExact: "start", timeline.FromMostRecent: "recent",
	timeline.FromAny: "zero", timeline.FromStreaming: "streaming"}

// events are the signs of events. Bookmarks have none: when they come depends on time.
var events = map[timeline.Kind]string{timeline.Added: "added", timeline.Modified: "modified",
	timeline.Deleted: "deleted", timeline.InitialEnd: "end"}

// answers returns the rows of reads and refusals, one for each path.
func answers(requests []*tap.Exchange) (rows format.Picture) {
	for _, x := range requests {
		name := ""
		switch read := x.Info.Verb == "get" || x.Info.Verb == "list"; {
		case x.Phase != tap.Done:
		case x.Status >= 400:
			name = strconv.Itoa(x.Status)
		case x.Status == 200 && read && (x.Info.Query.Get("continue") != "" || x.Info.Query.Get("limit") != ""):
			name = "page"
		case x.Status == 200 && read:
			name = "read"
		}
		if name == "" {
			continue
		}
		i := slices.IndexFunc(rows, func(r format.PictureRow) bool { return r.Path == x.Info.Path })
		if i < 0 {
			i, rows = len(rows), append(rows, format.PictureRow{Kind: format.PictureAnswers, Path: x.Info.Path})
		}
		if len(rows[i].Signs) < format.MaxPictureSigns {
			rows[i].Signs = append(rows[i].Signs, format.PictureSign{Name: name})
		}
	}
	return rows
}

// Common returns what pictures have in common, drawn as the first. What a watch begins with is anything, if that
// differs, and its end is left out, as it is if the first says for how long it lasts.
func Common(pictures []format.Picture) format.Picture {
	out := slices.Clone(pictures[0])
	for i, row := range out {
		if last := len(row.Signs) - 1; row.Signs[last].Loose {
			out[i].Signs = row.Signs[:last]
		}
	}
	for _, other := range pictures[1:] {
		var both format.Picture
		for i, at := range match(out, other, false) {
			if at < 0 {
				continue
			}
			row := out[i]
			row.Signs = nil
			for j, found := range common(out[i], other[at]) {
				switch sign := out[i].Signs[j]; {
				case found:
					row.Signs = append(row.Signs, sign)
				case j == 0 && row.Kind == format.PictureWatch:
					row.Signs = append(row.Signs, format.PictureSign{Name: "any"})
				}
			}
			if row.Signs != nil && (len(row.Signs) > 1 || row.Signs[0].Name != "any") {
				both = append(both, row)
			}
		}
		out = both
	}
	return placed(out)
}

// placed numbers the places of a picture again, by the writes that it has.
func placed(p format.Picture) format.Picture {
	var kept []int
	for _, row := range p {
		if row.Kind == format.PictureWrites {
			for _, s := range row.Signs {
				kept = append(kept, s.Place)
			}
		}
	}
	for _, row := range p {
		for i := range row.Signs {
			n := 0
			for _, at := range kept {
				if at <= row.Signs[i].Place {
					n++
				}
			}
			row.Signs[i].Place = n
		}
	}
	return p
}

// match returns, for each row of a goal, the index of the row of another picture that is most like it, or -1. With
// start, a watch is like another one only if it begins with the same.
func match(goal, other format.Picture, start bool) []int {
	out := make([]int, len(goal))
	for i, row := range goal {
		most := 0
		out[i] = -1
		for j, o := range other {
			if o.Kind != row.Kind || o.Path != row.Path || slices.Contains(out[:i], j) {
				continue
			}
			found := common(row, o)
			if start && row.Kind == format.PictureWatch && !found[0] {
				continue
			}
			n := 1
			for _, f := range found {
				if f {
					n += 2
				}
			}
			if n >= most { // of equals the newest
				most, out[i] = n, j
			}
		}
	}
	return out
}

// common returns which signs of a row another one has as well, in the same order: as many as can be.
func common(row, other format.PictureRow) []bool {
	a, b := row.Signs, other.Signs
	found := make([]bool, len(a))
	from, to, least := 0, len(a), 0
	if row.Kind == format.PictureWatch { // the first is compared with the first, and the last with the last
		found[0] = a[0].Name == "any" || a[0].Name == b[0].Name
		from, least = 1, 1
		if last := len(a) - 1; last > 0 && ends(a[last]) {
			found[last] = a[last].Name == b[len(b)-1].Name
			to = last
		}
	}
	// longest[i][j] is how many signs a[i:] and b[j:] have in common.
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	same := func(i, j int) bool { return a[i].Name == b[j].Name && a[i].Of == b[j].Of }
	for i := to - 1; i >= from; i-- {
		for j := len(b) - 1; j >= least; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if same(i, j) {
				longest[i][j] = max(longest[i][j], 1+longest[i+1][j+1])
			}
		}
	}
	for i, j := from, least; i < to && j < len(b); {
		switch {
		case same(i, j) && longest[i][j] == 1+longest[i+1][j+1]:
			found[i] = true
			i, j = i+1, j+1
		case longest[i+1][j] == longest[i][j]:
			i++
		default:
			j++
		}
	}
	return found
}

// ends reports whether a sign is the end of a watch.
func ends(s format.PictureSign) bool {
	return s.Name == "arrow" || s.Name == "cap" || s.Name[0] >= '0' && s.Name[0] <= '9'
}
