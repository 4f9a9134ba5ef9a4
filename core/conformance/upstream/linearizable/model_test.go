package linearizable

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/anishathalye/porcupine"
)

// keys is the number of objects that the clients share.
const keys = 5

// verb is the verb of a request.
type verb int

const (
	create verb = iota
	update
	remove
	get
	list
	verbs
)

func (v verb) String() string {
	return [...]string{"create", "update", "delete", "get", "list", "restart"}[v]
}

// entry is an object: its value and its resourceVersion. The zero entry is an object that does not
// exist.
type entry struct {
	value   string
	version int64
}

// input is a request.
type input struct {
	verb
	key   int
	value string
	// version makes an update conditional, unless it is 0.
	version int64
}

// anyInput returns a random request of a client that knows the versions seen; it writes
// value, if it does.
func anyInput(random *rand.Rand, seen [keys]int64, value string) input {
	in := input{verb: verb(random.IntN(int(verbs))), key: random.IntN(keys)}
	if in.verb == create || in.verb == update {
		in.value = value
	}
	if in.verb == update && random.IntN(2) == 0 {
		in.version = seen[in.key]
	}
	return in
}

// output is an answer.
type output struct {
	reason string // of the Status; empty for success
	entry
	// version of a list is that of the collection; objects are its items.
	objects [keys]entry
}

// state is the cluster: its objects and the revision of the last write.
type state struct {
	objects [keys]entry
	head    int64
}

// step reports whether a cluster in a state may answer so, and returns its next state.
func (s state) step(in input, out output) (bool, state) {
	old := s.objects[in.key]
	exists := old != entry{}
	write := func() (bool, state) {
		s.objects[in.key] = entry{in.value, out.version}
		ok := out.reason == "" && out.value == in.value && out.version == s.head+1
		s.head++
		return ok, s
	}
	refuse := func(reason string) (bool, state) { return out.reason == reason, s }
	switch in.verb {
	case create:
		if exists {
			return refuse("AlreadyExists")
		}
		return write()
	case update:
		switch {
		case !exists:
			return refuse("NotFound")
		case in.version != 0 && in.version != old.version:
			return refuse("Conflict")
		}
		return write()
	case remove:
		if !exists {
			return refuse("NotFound")
		}
		s.objects[in.key] = entry{}
		s.head++
		return out.reason == "", s
	case get:
		if !exists {
			return refuse("NotFound")
		}
		return out.reason == "" && out.entry == old, s
	}
	return out.reason == "" && out.objects == s.objects && out.version == s.head, s
}

// model returns the model of a cluster from a revision on, without objects.
func model(head int64) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return state{head: head} },
		Step: func(s, in, out any) (bool, any) { return s.(state).step(in.(input), out.(output)) },
		DescribeOperation: func(in, out any) string {
			i, o := in.(input), out.(output)
			if i.verb == list {
				return fmt.Sprintf("list = @%d %v", o.version, o.objects)
			}
			return fmt.Sprintf("%v(%d %s @%d) = %s %s@%d", i.verb, i.key, i.value, i.version, o.reason, o.value, o.version)
		},
		DescribeState: func(s any) string {
			var b strings.Builder
			for _, e := range s.(state).objects {
				fmt.Fprintf(&b, "%s@%d ", e.value, e.version)
			}
			return b.String()
		},
	}
}
