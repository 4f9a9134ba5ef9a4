package objects

import "time"

// A KeyAction is what a key does besides going to a row.
type KeyAction byte

// The actions, all on the row that the key goes to.
const (
	Go     KeyAction = iota // go there
	Unfold                  // open the group or type
	Fold                    // close it
	Enter                   // what a click does: show the object, open or close anything else
	Unused                  // the key means nothing here
)

// Press returns what a key does that is pressed at a row, as in the tree of a file manager: arrows, Home, End, Enter
// and space. page is how many rows PageUp and PageDown go. The key is named as in a KeyboardEvent.
func (t *Tree) Press(at int, key string, page int) (to int, act KeyAction) {
	last := t.length - 1
	if last < 0 {
		return -1, Unused
	}
	at = max(0, min(last, at))
	n := t.At(at)
	switch key {
	case "ArrowDown":
		return min(last, at+1), Go
	case "ArrowUp":
		return max(0, at-1), Go
	case "PageDown":
		return min(last, at+page), Go
	case "PageUp":
		return max(0, at-page), Go
	case "Home":
		return 0, Go
	case "End":
		return last, Go
	case "ArrowRight":
		switch {
		case n.Opens && !n.Open:
			return at, Unfold
		case n.Open:
			return min(last, at+1), Go
		}
		return at, Go
	case "ArrowLeft":
		if n.Opens && n.Open {
			return at, Fold
		}
		if up := t.Parent(at); up >= 0 {
			return up, Go
		}
		return at, Go
	case "Enter", " ":
		return at, Enter
	}
	return at, Unused
}

// typeAheadTimeout is how soon letters have to follow one another to be one word.
const typeAheadTimeout = time.Second

// typed reports whether a key is one that names of objects and types are made of.
func typed(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.'
}

// A TypeAhead gathers the letters that are typed to go to a row. The zero value is ready.
type TypeAhead struct {
	text string
	at   time.Time
}

// Key takes a key as a KeyboardEvent names it, and returns what has been typed until now; empty if no name has that
// key. The same letter again counts as one letter, so that it goes from one row to the next.
func (w *TypeAhead) Key(key string, now time.Time) string {
	if len(key) != 1 || !typed(key[0]) {
		if key != "Shift" {
			w.text = "" // going elsewhere begins a new word
		}
		return ""
	}
	if now.Sub(w.at) > typeAheadTimeout || w.text == key {
		w.text = ""
	}
	w.text += key
	w.at = now
	return w.text
}
