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

// ErrTooDeep is the error of decoders for a document that nests too deep.
var ErrTooDeep = fmt.Errorf("exceeded max depth: what is sent may nest %d levels deep here", MaxDepth)

// TooDeep reports whether a JSON document nests deeper than MaxDepth. It costs one pass over the document, and
// no memory.
func TooDeep(document []byte) bool { return Nests(document, MaxDepth) }

// Nests reports whether a JSON document nests deeper than most levels. For a text that is not JSON the result does
// not matter: decoders fail before they are that deep.
func Nests(document []byte, most int) bool {
	depth := 0
	for i := 0; i < len(document); i++ {
		switch document[i] {
		case '"':
			for i++; i < len(document) && document[i] != '"'; i++ {
				if document[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > most {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}
