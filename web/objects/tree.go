package objects

import (
	"sort"
	"strings"
)

// A Type is a resource type as a Tree shows it.
type Type struct {
	ID         string // deployments.apps
	Group      string // empty: the core group
	Plural     string
	Namespaced bool
}

// A Tree has API groups, their resource types and, where a type is open, its objects, as rows. Types without objects
// are left out unless All. The zero value is empty and ready.
type Tree struct {
	All    bool
	Counts Counts

	types  []Type
	closed map[string]bool    // groups that are folded
	open   map[string]*Branch // types that are unfolded, by ID
	runs   []run
	length int
	hidden int
}

// A Branch is the objects of a type that is open.
type Branch struct {
	Type Type
	Collection
	Problem string // why they cannot be read
}

// A Node is one row.
type Node struct {
	Key      string // names the row as long as it is there
	Level    int    // 1: a group, 2: a type, 3: an object, or a Note in place of objects
	Label    string
	Group    string // of a group's row; empty: the core group
	Pos, Of  int    // its place among its siblings, from 1
	Opens    bool
	Open     bool
	Count    int // how many objects a type has
	Known    bool
	Type     *Type
	Object   *Object
	Note     string
	NoteSays bool // the note is a problem
}

// run is a row, and the objects below it.
type run struct {
	node  Node
	at    int // the row's index
	below *Branch
}

// Keys of rows.
const (
	groupKey  = "g:"
	typeKey   = "t:"
	objectKey = "o:"
	noteKey   = "n:"
)

// SetTypes takes the resource types, those of a group beside one another.
func (t *Tree) SetTypes(types []Type) {
	t.types = types
	for id := range t.open {
		if t.Type(id) == nil {
			delete(t.open, id)
		}
	}
	t.Layout()
}

// Types returns the resource types, of which those without a namespace are left out
// if only the objects of one are shown.
func (t *Tree) Types() []Type {
	var out []Type
	for _, y := range t.types {
		if y.Namespaced || t.Counts.Namespace == "" {
			out = append(out, y)
		}
	}
	return out
}

// Type returns the type of that ID, or nil.
func (t *Tree) Type(id string) *Type {
	for i := range t.types {
		if t.types[i].ID == id {
			return &t.types[i]
		}
	}
	return nil
}

// Branch returns the objects of a type, nil unless it is open.
func (t *Tree) Branch(id string) *Branch { return t.open[id] }

// Opened returns the IDs of the types that are open, in no order.
func (t *Tree) Opened() []string {
	out := make([]string, 0, len(t.open))
	for id := range t.open {
		out = append(out, id)
	}
	return out
}

// Open unfolds a type, and returns its objects, which are to be read; nil if the
// type is open, or is not known.
func (t *Tree) Open(id string) *Branch {
	y := t.Type(id)
	if y == nil || t.open[id] != nil {
		return nil
	}
	if t.open == nil {
		t.open = map[string]*Branch{}
	}
	b := &Branch{Type: *y}
	t.open[id] = b
	delete(t.closed, y.Group)
	t.Layout()
	return b
}

// Close folds a type.
func (t *Tree) Close(id string) {
	delete(t.open, id)
	t.Layout()
}

// Fold folds a group, or unfolds it.
func (t *Tree) Fold(group string, folded bool) {
	if t.closed == nil {
		t.closed = map[string]bool{}
	}
	if folded {
		t.closed[group] = true
	} else {
		delete(t.closed, group)
	}
	t.Layout()
}

// Reset forgets the objects: they are those of another namespace, or of another cluster. Types that are open stay open,
// and their objects have to be read: it returns their branches.
func (t *Tree) Reset(namespace string) []*Branch {
	t.Counts.Reset(namespace)
	var out []*Branch
	for _, y := range t.Types() {
		if t.open[y.ID] != nil {
			b := &Branch{Type: y}
			t.open[y.ID] = b
			out = append(out, b)
		}
	}
	for id, b := range t.open {
		if namespace != "" && !b.Type.Namespaced {
			delete(t.open, id)
		}
	}
	t.Layout()
	return out
}

// Layout says which rows there are. Call it after every change of All,
// of a Branch or of Counts.
func (t *Tree) Layout() {
	t.runs, t.length, t.hidden = t.runs[:0], 0, 0
	add := func(n Node, below *Branch) {
		t.runs = append(t.runs, run{n, t.length, below})
		t.length++
		if below != nil {
			t.length += below.rows()
		}
	}
	types := t.Types()
	groups := 0
	for from := 0; from < len(types); {
		to := from + 1
		for to < len(types) && types[to].Group == types[from].Group {
			to++
		}
		group := types[from].Group
		var shown []Node
		for i := from; i < to; i++ {
			y := types[i]
			n := Node{Key: typeKey + y.ID, Level: 2, Label: y.Plural, Type: t.Type(y.ID), Opens: true}
			n.Count, n.Known = t.Counts.Of(y.ID)
			b := t.open[y.ID]
			if n.Open = b != nil; n.Open && b.Whole {
				n.Count, n.Known = b.Len(), true
			}
			if n.Count == 0 && !n.Open && !t.All {
				t.hidden++
				continue
			}
			shown = append(shown, n)
		}
		from = to
		if len(shown) == 0 {
			continue
		}
		groups++
		label := group
		if label == "" {
			label = "core"
		}
		add(Node{Key: groupKey + group, Level: 1, Label: label, Group: group, Opens: true, Open: !t.closed[group],
			Pos: groups}, nil)
		if t.closed[group] {
			continue
		}
		for i, n := range shown {
			n.Pos, n.Of = i+1, len(shown)
			add(n, t.open[n.Type.ID])
		}
	}
	for i := range t.runs {
		if t.runs[i].node.Level == 1 {
			t.runs[i].node.Of = groups
		}
	}
}

// rows returns how many rows are below an open type: its objects, or a note.
func (b *Branch) rows() int { return max(1, b.Len()) }

// Len returns how many rows there are, Hidden how many types have none since they have
// no objects.
func (t *Tree) Len() int { return t.length }

// Hidden returns how many types are left out.
func (t *Tree) Hidden() int { return t.hidden }

// At returns a row.
func (t *Tree) At(i int) Node {
	k := sort.Search(len(t.runs), func(k int) bool { return t.runs[k].at > i }) - 1
	r := &t.runs[k]
	if i == r.at {
		return r.node
	}
	b, i := r.below, i-r.at-1
	if b.Len() == 0 {
		n := Node{Key: noteKey + b.Type.ID, Level: 3, Type: r.node.Type, Pos: 1, Of: 1, Note: "none"}
		switch {
		case b.Problem != "":
			n.Note, n.NoteSays = b.Problem, true
		case !b.Whole:
			n.Note = "reading…"
		}
		n.Label = n.Note
		return n
	}
	o := b.Rows()[i]
	return Node{Key: objectKey + b.Type.ID + "/" + o.Key(), Level: 3, Label: o.Name, Type: r.node.Type, Object: o, Pos: i +
		1, Of: b.Len()}
}

// Index returns the row of that key, or -1.
func (t *Tree) Index(key string) int {
	for i := range t.runs {
		r := &t.runs[i]
		if r.node.Key == key {
			return r.at
		}
		if r.below == nil {
			continue
		}
		if rest, ok := strings.CutPrefix(key, objectKey+r.below.Type.ID+"/"); ok {
			if at, found := r.below.find(rest); found {
				return r.at + 1 + at
			}
		}
		if key == noteKey+r.below.Type.ID && r.below.Len() == 0 {
			return r.at + 1
		}
	}
	return -1
}

// Parent returns the row that a row is below; -1 if it is a group.
func (t *Tree) Parent(i int) int {
	level := t.At(i).Level
	for k := len(t.runs) - 1; k >= 0; k-- {
		if r := &t.runs[k]; r.at < i && r.node.Level < level {
			return r.at
		}
	}
	return -1
}

// Find returns the next row after one, in a circle, whose label begins with the text,
// in any case; the row itself counts last. It is -1 without one.
func (t *Tree) Find(after int, text string) int {
	text = strings.ToLower(text)
	for k := 1; k <= t.length; k++ {
		i := (after + k + t.length) % t.length
		if strings.HasPrefix(strings.ToLower(t.At(i).Label), text) {
			return i
		}
	}
	return -1
}
