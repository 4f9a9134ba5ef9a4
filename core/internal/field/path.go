package field

import (
	"strconv"
	"strings"
)

// A Path names a field of an object as the API writes it in errors:
// "spec.containers[0].ports[1].name", "data[a key]". A literal is a Path too.
type Path string

// Unnamed stands for a path that is not needed: all paths below it are Unnamed too, and cost
// nothing. Most objects are valid, so checks can run with Unnamed first and make paths, in a second
// run, only if there are violations.
const Unnamed Path = "\x00"

// Lazily returns the errors of check at a path, which is made only if there are any.
func Lazily(at Path, check func(at Path) ErrorList) ErrorList {
	if len(check(Unnamed)) == 0 {
		return nil
	}
	return check(at)
}

// NewPath joins names with dots. The path of one empty name is "[]", which is
// how the API names an object as a whole.
func NewPath(names ...string) Path {
	if len(names) == 1 && names[0] == "" {
		return "[]"
	}
	return Path(strings.Join(names, "."))
}

// Child returns the path of a field below p. The child of the empty path is the name
// alone.
func (p Path) Child(names ...string) Path {
	if p == Unnamed {
		return p
	}
	child := Path(strings.Join(names, "."))
	if p == "" {
		return child
	}
	return p + "." + child
}

// Index returns the path of an entry of the list at p.
func (p Path) Index(i int) Path { return p.Key(strconv.Itoa(i)) }

// Key returns the path of an entry of the map at p.
func (p Path) Key(key string) Path {
	if p == Unnamed {
		return p
	}
	return p + Path("["+key+"]")
}

// String returns the path as errors print it.
func (p Path) String() string { return string(p) }
