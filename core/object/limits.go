package object

import "fmt"

// MaxDepth is how deep the values of a request, and of an object that a snapshot has, may nest, on every
// host. The real server takes 10,000 levels. Whatever goes through a value calls itself for each level,
// and the smallest stack that this server runs on, that of a worker in a browser, ends after some 400
// levels: beyond it the whole worker ends. A cluster moves from host to host as a file, so what one takes
// another has to take as well; and a stack of 10,000 levels is memory that a client takes from the others.
//
// The decoders of all encodings have the limit, as they call themselves: YAMLToJSON before anything is parsed.
const MaxDepth = 200

// MaxDecoded is how deep values may nest that are decoded: objects, with what answers and reviews have around
// them.
const MaxDecoded = MaxDepth + 8

// MaxValues is how many values a request, an object that a patch makes, and one that a snapshot has may have, on
// every host: objects, lists, texts, numbers and so on, at any depth. Empty objects and lists count twice. The real
// server has a limit of bytes alone, but a value of two bytes may take a thousand in memory: as an object, with the
// fields that it lacks and its violations.
//
// What the real server's etcd stores has at most 1.5 MiB: with this many values they take six bytes each, names
// included. Objects of the real types, managed fields and lists of numbers take more.
const MaxValues = 250_000

// The errors of decoders for a document beyond the limits.
var (
	ErrTooDeep = fmt.Errorf("exceeded max depth: what is sent may nest %d levels deep here", MaxDepth)
	ErrTooMany = fmt.Errorf("exceeded max values: what is sent may have %d values here", MaxValues)
)

// Check returns ErrTooDeep for a JSON document that nests deeper than MaxDepth, ErrTooMany for one with more than
// MaxValues values, and nil for all others. It costs one pass over the document, and no memory.
func Check(document []byte) error {
	_, err := Measure(document, MaxDepth, MaxValues)
	return err
}

// CheckTree returns ErrTooMany for a tree with more than MaxValues values. It costs what it goes through until then.
func CheckTree(v any) error {
	left := MaxValues + 1 // the tree itself is not in another value
	if !within(v, &left) {
		return ErrTooMany
	}
	return nil
}

// within takes the values of a tree from those that are left, and reports whether they were enough.
func within(v any, left *int) bool {
	*left--
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if !within(e, left) {
				return false
			}
		}
		*left -= max(0, 1-len(v))
	case []any:
		for _, e := range v {
			if !within(e, left) {
				return false
			}
		}
		*left -= max(0, 1-len(v))
	}
	return *left >= 0
}

// Measure returns how many values are in the value of a JSON document, or an error once it nests deeper than depth
// levels or has more values than most. For a text that is not JSON the result does not matter: decoders fail before
// they are that deep.
func Measure(document []byte, depth, most int) (values int, err error) {
	level := 0
	for i := 0; i < len(document); i++ {
		switch document[i] {
		case '"':
			for i++; i < len(document) && document[i] != '"'; i++ {
				if document[i] == '\\' {
					i++
				}
			}
			continue
		case '{', '[': // with its first entry, or for none
			level++
		case ',':
		case '}', ']':
			level--
			continue
		default:
			continue
		}
		if level > depth {
			return values, ErrTooDeep
		}
		if values++; values > most {
			return values, ErrTooMany
		}
	}
	return values, nil
}
