package history

import (
	"slices"
	"sort"

	"github.com/tabernetes/tabernetes/web/tap"
)

// A View has the rows of a Log in an order and with a filter. It is kept up to date while requests continue: an event
// costs a note, and what has changed is put in its place when the rows are asked for next.
//
// Invariants: the rows are those of an equal View made now (view_test.go has this as a property); a row's place depends
// on what was known of the entry at the last Update.
type View struct {
	log    *tap.Log
	filter Filter
	text   string // of the filter, in lower case
	order  Order

	items  map[*tap.Exchange]*item
	sorted []*item // the items that are listed, by their keys; not used in the order of time
	dirty  []*item
	search []*item // bodies still to be looked through, the newest request's last
	open   map[int]bool

	rows  []Row
	stale bool // rows have to be made again
}

// item is what a View knows of an entry.
type item struct {
	*tap.Exchange
	key    key
	listed bool // it passes the filter
	placed bool // it is in sorted, by its key
	bad    bool // as it is counted in its row
	dirty  bool
	found  bool // the filter's text is in it
	asked  bool // its request and head have been looked through
	queued bool // it is in search
	read   int  // bytes of the answer that have been looked through
	gone   bool
	wrote  int // spans of revisions, as its row has them
}

// View returns a new View of the log, with all of its requests, the newest first.
func NewView(l *tap.Log) *View {
	v := &View{log: l, items: map[*tap.Exchange]*item{}, open: map[int]bool{}, stale: true}
	l.Follow(v.touch, v.drop)
	return v
}

// touch notes that an entry is new or has changed.
func (v *View) touch(e *tap.Exchange) {
	it := v.items[e]
	if it == nil {
		it = &item{Exchange: e}
		v.items[e] = it
	}
	if !it.dirty {
		it.dirty = true
		v.dirty = append(v.dirty, it)
	}
}

// drop notes that an entry is no longer in the log.
func (v *View) drop(e *tap.Exchange) {
	it := v.items[e]
	if it == nil {
		return
	}
	delete(v.items, e)
	delete(v.open, e.ID)
	it.gone, v.stale = true, true
	v.unplace(it)
}

// Filter returns the filter in use, Order the order.
func (v *View) Filter() Filter { return v.filter }

// Order returns the order in use.
func (v *View) Order() Order { return v.order }

// SetFilter lists what passes f from now on.
func (v *View) SetFilter(f Filter) {
	if f == v.filter {
		return
	}
	if text := lowered(f.Text); text != v.text {
		v.text, v.search = text, nil
		for _, it := range v.items {
			it.found, it.asked, it.queued, it.read = false, false, false, 0
		}
	}
	v.filter = f
	v.again()
}

// SetOrder sorts by o from now on.
func (v *View) SetOrder(o Order) {
	if o == v.order {
		return
	}
	if o.Column() != v.order.Column() {
		v.sorted = nil
		for _, it := range v.items {
			it.placed = false
		}
		v.order = o
		v.again()
		return
	}
	v.order, v.stale = o, true
}

// again searches all entries from the start, in the log's order.
func (v *View) again() {
	v.stale = true
	for _, e := range v.log.All() {
		v.touch(e)
	}
}

// Update applies what has happened since, and searches at most budget bytes of bodies for the filter's text. It reports
// whether there is more to search: then the rows are those found so far.
func (v *View) Update(budget int) (more bool) {
	v.apply()
	for len(v.search) > 0 && budget > 0 {
		last := len(v.search) - 1
		it := v.search[last]
		if it.gone || it.found {
			it.queued = false
			v.search = v.search[:last]
			continue
		}
		done, read := it.look(v.text, budget)
		budget -= read
		if !done {
			break
		}
		it.queued = false
		v.search = v.search[:last]
		if it.found && !it.dirty {
			it.dirty = true
			v.dirty = append(v.dirty, it)
		}
	}
	v.apply()
	if v.stale {
		v.make()
	}
	return len(v.search) > 0
}

// look searches at most budget bytes of the bodies that have not been searched, and returns how many those were.
func (it *item) look(text string, budget int) (done bool, read int) {
	if !it.asked {
		it.asked = true
		read += len(it.Body) + 1
		it.found = contains(it.Body, text)
	}
	if it.found || it.Binary {
		return true, read
	}
	for it.read < it.Size && read < budget {
		// A little of what has been read again: the text may lie across the border.
		from := max(0, it.read-len(text)+1)
		part := it.After(from)
		end := it.Size
		if n := budget - read + len(text); len(part) > n {
			// What is kept may begin behind from.
			end -= len(part) - n
			part = part[:n]
		}
		read += len(part)
		it.read = end
		if contains(part, text) {
			it.found = true
			return true, read
		}
	}
	return it.read >= it.Size, read
}

// apply puts the entries that have changed where they belong.
func (v *View) apply() {
	if len(v.dirty) == 0 {
		return
	}
	byTime := v.order.Column() == ByStarted
	resort := len(v.dirty) > 16+len(v.sorted)/8
	for _, it := range v.dirty {
		it.dirty = false
		if it.gone {
			continue
		}
		listed, bad := v.filter.passes(it.Exchange) && v.has(it), bad(it.Exchange)
		if listed != it.listed || listed && bad != it.bad {
			v.stale = true
		}
		if n := len(it.Source.Wrote); n != it.wrote && it.Origin == "sample" { // its run’s chip
			it.wrote, v.stale = n, true
		}
		it.listed, it.bad = listed, bad
		if byTime {
			continue
		}
		key := keyOf(it.Exchange, v.order.By)
		if listed == it.placed && key == it.key {
			continue
		}
		v.stale = true
		if !resort {
			v.unplace(it)
		}
		it.key = key
		if listed && !resort {
			v.place(it)
		}
	}
	v.dirty = v.dirty[:0]
	if !byTime && resort && v.stale {
		v.sorted = v.sorted[:0]
		for _, it := range v.items {
			if it.placed = it.listed; it.listed {
				v.sorted = append(v.sorted, it)
			}
		}
		slices.SortFunc(v.sorted, before)
	}
}

// has reports whether the filter's text is in the item, as far as is known. What has not been searched is queued.
func (v *View) has(it *item) bool {
	if v.text == "" || it.found {
		return true
	}
	if it.found = headContains(it.Exchange, v.text); it.found {
		return true
	}
	if !it.queued && (!it.asked || it.read < it.Size) {
		it.queued = true
		v.search = append(v.search, it)
	}
	return false
}

// before returns the ascending order of items. Of equal ones the newer comes first
// when the order is turned round, as in the order of time.
func before(a, b *item) int {
	if c := a.key.compare(b.key); c != 0 {
		return c
	}
	return a.ID - b.ID
}

func (v *View) place(it *item) {
	i, _ := slices.BinarySearchFunc(v.sorted, it, before)
	v.sorted = slices.Insert(v.sorted, i, it)
	it.placed = true
}

func (v *View) unplace(it *item) {
	if !it.placed {
		return
	}
	it.placed = false
	i := sort.Search(len(v.sorted), func(i int) bool { return before(v.sorted[i], it) >= 0 })
	if i < len(v.sorted) && v.sorted[i] == it {
		v.sorted = slices.Delete(v.sorted, i, i+1)
	}
}

// make makes the rows again.
func (v *View) make() {
	v.stale = false
	clear(v.rows)
	v.rows = v.rows[:0]
	if v.order.Column() != ByStarted {
		for _, it := range v.sorted {
			v.rows = append(v.rows, single(it.Exchange))
		}
	} else {
		var run []*tap.Exchange
		for i := len(v.log.All()) - 1; i >= 0; i-- {
			e := v.log.All()[i]
			if it := v.items[e]; it == nil || !it.listed {
				continue
			}
			if len(run) > 0 && !runsWith(run[0], e) {
				v.rows = appendRun(v.rows, run, v.open, v.order.Ascending)
				run = run[:0]
			}
			run = append(run, e)
		}
		if len(run) > 0 {
			v.rows = appendRun(v.rows, run, v.open, v.order.Ascending)
		}
		slices.Reverse(v.rows)
	}
	if !v.order.Ascending {
		slices.Reverse(v.rows)
	}
}

// Len returns how many rows there are, as of the last Update.
func (v *View) Len() int { return len(v.rows) }

// Rows returns the rows from one place up to another. The slice is the View's own.
func (v *View) Rows(from, to int) []Row { return v.rows[from:to] }

// Listed returns the requests that pass the filter, oldest first, as of the last Update.
func (v *View) Listed() []*tap.Exchange {
	var out []*tap.Exchange
	for _, e := range v.log.All() {
		if it := v.items[e]; it != nil && it.listed {
			out = append(out, e)
		}
	}
	return out
}

// Index returns the row of a request, as of the last Update; -1 if it has none. A
// folded run's row is that of all its requests.
func (v *View) Index(id int) int {
	for i, r := range v.rows {
		if r.ID == id {
			return i
		}
	}
	e := v.log.Get(id)
	if it := v.items[e]; e == nil || it == nil || !it.listed {
		return -1
	}
	for i, r := range v.rows { // it is inside a folded run
		if r.Run != 0 && !r.Open && r.ID > id && r.Run <= id {
			return i
		}
	}
	return -1
}

// Fold folds a run of requests into one row, or unfolds it.
func (v *View) Fold(run int, open bool) {
	if v.open[run] == open {
		return
	}
	if v.stale = true; open {
		v.open[run] = true
	} else {
		delete(v.open, run)
	}
}
