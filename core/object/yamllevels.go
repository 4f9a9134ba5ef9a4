package object

// The kinds of collections besides those of flow style, '[' and '{', of block style, '-' and ':', and the
// document itself.
const (
	yamlDocument = 0
	// A yamlPair is a mapping with one entry in a flow sequence, without braces.
	yamlPair = ','
	// A yamlIndentless is a block sequence that is no further to the right than the mapping it is in.
	yamlIndentless = 'i'
)

// A yamlLevel is a collection that is open.
type yamlLevel struct {
	kind byte
	// indent is the column of the block style collection that is open.
	indent int
	// entry is how many levels there are in the entry that is open, deepest in all entries so far.
	entry, deepest int
	// anchors are those in the entry that is open: there may be one of the value of an entry and one of
	// the key after it, which is known only by its colon.
	anchors [2]*yamlAnchor
}

// A yamlAnchor is a value that has a name.
type yamlAnchor struct {
	pos, level int
	open       bool
	reach      int // how many levels it has, once it is not open
	values     int // how many it has, likewise; before, how many there are before it
}

// end notes how many levels the value has that an anchor names, after which there are so many values; its entry may
// have some of them besides.
func (a *yamlAnchor) end(levels, values int) {
	if a != nil {
		a.open, a.reach, a.values = false, levels, values-a.values
	}
}

// yamlLevels are the collections that are open while a text is scanned.
type yamlLevels struct {
	levels  []yamlLevel // the document is the first
	anchors map[string]*yamlAnchor
	// reached is how deep the collections nest, with what is in place of the aliases.
	reached int
	// values is how many values there are, with what is in place of the aliases: those of entries that have none are
	// counted for most.
	values  int
	aliased int  // how many of them are in place of aliases
	wanting bool // a sign was seen whose value was not
}

func newYAMLLevels() yamlLevels {
	return yamlLevels{levels: []yamlLevel{{kind: yamlDocument, indent: -1}}, anchors: map[string]*yamlAnchor{}}
}

func (l *yamlLevels) top() *yamlLevel { return &l.levels[len(l.levels)-1] }

func (l *yamlLevels) indent() int { return l.top().indent }

// node counts a value.
func (l *yamlLevels) node() {
	l.values++
	l.wanting = false
}

// wantValue notes that a value is next, which may be empty.
func (l *yamlLevels) wantValue() {
	l.endValue()
	l.wanting = true
}

// endValue counts the value that was next, and is empty.
func (l *yamlLevels) endValue() {
	if l.wanting {
		l.node()
	}
}

// push opens a collection.
func (l *yamlLevels) push(kind byte, indent int) {
	l.node()
	l.levels = append(l.levels, yamlLevel{kind: kind, indent: indent})
	l.reach(0)
}

// reach notes that a value of so many levels is in the collection that was opened last.
func (l *yamlLevels) reach(levels int) {
	t := l.top()
	t.entry = max(t.entry, levels)
	l.reached = max(l.reached, len(l.levels)-1+levels)
}

// pop closes a collection.
func (l *yamlLevels) pop() {
	l.endEntry()
	levels := 1 + l.top().deepest
	l.levels = l.levels[:len(l.levels)-1]
	l.reach(levels)
}

// endEntry ends an entry: another one begins, or the collection ends.
func (l *yamlLevels) endEntry() {
	t := l.top()
	for _, a := range t.anchors {
		a.end(t.entry, l.values)
	}
	t.deepest = max(t.deepest, t.entry)
	t.entry, t.anchors = 0, [2]*yamlAnchor{}
}

// unroll closes the collections of block style that are right of a column.
func (l *yamlLevels) unroll(column int) {
	for l.indent() > column {
		l.endValue()
		l.pop()
	}
}

// closeAll closes all collections.
func (l *yamlLevels) closeAll() {
	for len(l.levels) > 1 {
		l.pop()
	}
	l.endEntry()
}

// closeFlow closes a collection of flow style.
func (l *yamlLevels) closeFlow() {
	l.endValue()
	l.closePair()
	if k := l.top().kind; k == '[' || k == '{' {
		l.pop()
	}
}

func (l *yamlLevels) closePair() {
	if l.top().kind == yamlPair {
		l.pop()
	}
}

// beginPair opens a pair if the key or colon of one is in a flow sequence, around the value before it. It
// reports whether it has.
func (l *yamlLevels) beginPair() bool {
	if l.top().kind != '[' {
		return false
	}
	l.pushAround(yamlPair, l.indent(), 0)
	return true
}

// beginEntry begins an entry of a block style collection at a column, which may be the first one.
func (l *yamlLevels) beginEntry(kind byte, column int) {
	switch top := l.top().kind; {
	case column > l.indent():
		l.push(kind, column)
		return
	case kind == '-' && top == ':':
		l.push(yamlIndentless, column)
		return
	case kind == ':' && top == yamlIndentless:
		l.pop()
	}
	l.endEntry()
}

// beginMapping begins an entry of a block style mapping whose key, at a column and a position, was read
// before.
func (l *yamlLevels) beginMapping(column, pos int) {
	if column > l.indent() {
		l.pushAround(':', column, pos)
		return
	}
	l.beginEntry(':', column)
}

// pushAround opens a collection around its first key, which was read before, from a position on.
func (l *yamlLevels) pushAround(kind byte, indent, from int) {
	outer := l.top()
	key := yamlLevel{entry: outer.entry}
	for i, a := range outer.anchors {
		if a != nil && a.pos >= from {
			key.anchors[i], outer.anchors[i] = a, nil
		}
	}
	l.push(kind, indent)
	l.top().anchors = key.anchors
	l.reach(key.entry)
	l.endEntry()
}

// anchor gives the next value a name. pos is where it is in the text.
func (l *yamlLevels) anchor(name string, pos int) {
	a := &yamlAnchor{pos: pos, level: len(l.levels) - 1, open: true, values: l.values}
	l.anchors[name] = a
	t := l.top()
	t.anchors[0].end(t.entry, l.values) // three in an entry are an error
	t.anchors = [2]*yamlAnchor{t.anchors[1], a}
}

// alias counts a value that stands for one with a name.
func (l *yamlLevels) alias(name string) {
	a := l.anchors[name]
	if a == nil {
		return // an error
	}
	if !a.open {
		l.reach(a.reach)
		l.values += max(0, a.values-1)
		l.aliased += a.values
		return
	}
	// It is the value before a key, or has itself in it: an error that is found once it has been expanded.
	levels := l.levels[a.level].entry
	for i, level := range l.levels[a.level+1:] {
		levels = max(levels, i+1+max(level.entry, level.deepest))
	}
	l.reach(levels)
}
