package timeline

import (
	"sort"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// A Kind says what a mark stands for.
type Kind uint8

// The kinds of marks. The first three are those that bins count.
const (
	Added Kind = iota
	Modified
	Deleted
	Bookmark
	InitialEnd // the bookmark that ends the initial events
	Error
)

const counted = 3

type kindText struct{ class, letter, shape, word string }

var kinds = [...]kindText{
	Added:      {"added", "A", "▲", "added"},
	Modified:   {"modified", "M", "●", "modified"},
	Deleted:    {"deleted", "D", "▼", "deleted"},
	Bookmark:   {"bookmark", "B", "⚐", "bookmark"},
	InitialEnd: {"bookmark", "B", "⚐⚐", "end of initial events"},
	Error:      {"error", "✕", "✕", "error"},
}

// Class returns the CSS class of the kind's mark.
func (k Kind) Class() string { return kinds[k].class }

// Letter returns the one letter that stands beside the shape.
func (k Kind) Letter() string { return kinds[k].letter }

// Shape returns the mark as a character, for tables.
func (k Kind) Shape() string { return kinds[k].shape }

// Word returns the kind in words.
func (k Kind) Word() string { return kinds[k].word }

func kindOf(v revisions.Verb) Kind {
	switch v {
	case revisions.Added:
		return Added
	case revisions.Deleted:
		return Deleted
	}
	return Modified
}

// A Mark is one event at a revision.
type Mark struct {
	Rev int64
	At  int64 // Unix milliseconds
	// Delivered is the store's head when the client got the event, for a watch's event; 0 for commits.
	Delivered int64
	Obj       Obj
	Kind      Kind
	// Others says that a commit was made by another page, or by a known user with another client.
	Others bool
}

// Time returns when the mark's event happened.
func (m Mark) Time() time.Time { return time.UnixMilli(m.At) }

// A Series is marks in the order of their revisions, with running counts, so
// that the marks of any stretch are found in O(log n) and counted in O(1).
type Series struct {
	marks    []Mark
	before   [][counted]uint32 // before[i] counts marks[:i]; one longer than marks
	total    int               // marks ever taken
	max      int
	unsorted bool
	shuffles int // how often the order changed: indices from before are void
}

// NewSeries returns a series that keeps at least the max newest marks.
func NewSeries(max int) Series { return Series{max: max} }

// Add takes a mark. Marks mostly come in order; those that do not cost a sort
// at the next look.
func (s *Series) Add(m Mark) {
	if n := len(s.marks); n > 0 && m.Rev < s.marks[n-1].Rev {
		s.unsorted = true
	}
	if s.max > 0 && len(s.marks) >= s.max+s.max/4 {
		s.settle()
		drop := len(s.marks) - s.max
		s.marks = append(s.marks[:0], s.marks[drop:]...)
		s.before = append(s.before[:0], s.before[drop:]...)
	}
	if len(s.before) == 0 {
		s.before = append(s.before, [counted]uint32{})
	}
	s.marks = append(s.marks, m)
	sum := s.before[len(s.before)-1]
	if m.Kind < counted {
		sum[m.Kind]++
	}
	s.before = append(s.before, sum)
	s.total++
}

func (s *Series) settle() {
	if !s.unsorted {
		return
	}
	s.unsorted = false
	s.shuffles++
	sort.SliceStable(s.marks, func(i, j int) bool { return s.marks[i].Rev < s.marks[j].Rev })
	sum := s.before[0]
	for i, m := range s.marks {
		if m.Kind < counted {
			sum[m.Kind]++
		}
		s.before[i+1] = sum
	}
}

// Len returns how many marks are kept.
func (s *Series) Len() int { return len(s.marks) }

// Total returns how many marks were ever added.
func (s *Series) Total() int { return s.total }

// At returns the i-th mark kept.
func (s *Series) At(i int) Mark {
	s.settle()
	return s.marks[i]
}

// Index returns the index of the first mark at or after rev, or Len if all marks are before it.
func (s *Series) Index(rev int64) int {
	s.settle()
	return sort.Search(len(s.marks), func(i int) bool { return s.marks[i].Rev >= rev })
}

// Find returns the first mark at exactly rev.
func (s *Series) Find(rev int64) (Mark, bool) {
	if i := s.Index(rev); i < len(s.marks) && s.marks[i].Rev == rev {
		return s.marks[i], true
	}
	return Mark{}, false
}

// Had reports whether an object that has marks existed at a revision, as far as the marks say.
func (s *Series) Had(o Obj, rev int64) bool {
	for i := s.Index(rev + 1); i < len(s.marks); i++ {
		if s.marks[i].Obj == o {
			return s.marks[i].Kind != Added
		}
	}
	for i := s.Index(rev+1) - 1; i >= 0; i-- {
		if s.marks[i].Obj == o {
			return s.marks[i].Kind != Deleted
		}
	}
	return true
}

// Count counts the marks of [i, j) by kind: added, modified, deleted.
func (s *Series) Count(i, j int) [counted]uint32 {
	s.settle()
	var out [counted]uint32
	if i >= j {
		return out
	}
	for k := range out {
		out[k] = s.before[j][k] - s.before[i][k]
	}
	return out
}

// First returns the oldest revision that is kept, or 0 if the series is empty.
func (s *Series) First() int64 {
	s.settle()
	if len(s.marks) == 0 {
		return 0
	}
	return s.marks[0].Rev
}

// Last returns the newest revision that is kept, or 0 if the series is empty.
func (s *Series) Last() int64 {
	s.settle()
	if len(s.marks) == 0 {
		return 0
	}
	return s.marks[len(s.marks)-1].Rev
}

// An Obj is the number of an object, so that a mark needs no strings. 0 stands for no object.
type Obj uint32

// An Object is what an Obj stands for.
type Object struct{ Group, Resource, Namespace, Name string }

// Ref names the object in a data-ref attribute.
func (o Object) Ref() string {
	return apipath.ObjectRef(o.Group, o.Resource, o.Namespace, o.Name)
}

// String returns the object as the panels write it: "pods default/web".
func (o Object) String() string {
	s := apipath.GroupResource(o.Group, o.Resource)
	if o.Name == "" {
		return s
	}
	if o.Namespace != "" {
		return s + " " + o.Namespace + "/" + o.Name
	}
	return s + " " + o.Name
}

// Objects numbers the objects that were seen.
type Objects struct {
	list []Object
	num  map[Object]Obj
}

// Number returns the object's number, giving it one if it has none.
func (o *Objects) Number(x Object) Obj {
	if n, ok := o.num[x]; ok {
		return n
	}
	if o.num == nil {
		o.num = map[Object]Obj{}
		o.list = make([]Object, 1)
	}
	x.Namespace, x.Name = strings.Clone(x.Namespace), strings.Clone(x.Name) // of the memory of an event
	n := Obj(len(o.list))
	o.list = append(o.list, x)
	o.num[x] = n
	return n
}

// Get returns the object of a number; the zero Object for 0.
func (o *Objects) Get(n Obj) Object {
	if int(n) >= len(o.list) {
		return Object{}
	}
	return o.list[n]
}

// NextIs reports whether the mark behind the i-th is of that kind.
func (s *Series) NextIs(i int, kind Kind) bool {
	return i+1 < len(s.marks) && s.marks[i+1].Kind == kind
}
