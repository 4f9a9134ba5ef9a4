package object

import "bytes"

// MaxDepth is how deep the values of a request, and of an object that a snapshot has, may nest, on every
// host. The real server takes 10,000 levels. Whatever goes through a value calls itself for each level,
// and the smallest stack that this server runs on, that of a worker in a browser, ends after some 400
// levels: beyond it the whole worker ends. A cluster moves from host to host as a file, so what one takes
// another has to take as well; and a stack of 10,000 levels is memory that a client takes from the others.
const MaxDepth = 200

// TooDeep reports whether a document, in any encoding, is nested deeper than MaxDepth: exactly for JSON,
// to which all documents are converted. For YAML it is an estimate, which is enough to protect its
// decoder: brackets may be in strings there, and a line of a string may be indented. Protobuf and CBOR
// have decoders with limits of their own. It costs one pass over the document, and no memory.
func TooDeep(document []byte) bool { return nests(document, MaxDepth) }

// nests reports whether a document is nested deeper than most.
func nests(document []byte, most int) bool {
	start := bytes.TrimLeft(document, " \t\r\n")
	switch {
	case len(start) <= most || start[0] >= 0x80 || bytes.HasPrefix(start, []byte("k8s\x00")):
		return false
	case start[0] == '{' || start[0] == '[':
		return bracketed(start, most)
	}
	const roughly = 4
	return bracketed(document, roughly*most) || indented(document, roughly*most)
}

// indented reports whether a line of YAML begins with more than most spaces and entry signs.
func indented(document []byte, most int) bool {
	for line := range bytes.Lines(document) {
		if len(line) > most && len(line)-len(bytes.TrimLeft(line, " \t-?:")) > most {
			return true
		}
	}
	return false
}

// bracketed reports whether more than most brackets are open anywhere.
func bracketed(document []byte, most int) bool {
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
