package apiserver

// indent appends a JSON document to dst, one member per line, as json.Indent with two spaces does.
// It requires the document to be valid and compact, which all answers here are, and takes a
// fraction of the time: a browser's answers are all pretty.
func indent(dst, document []byte) []byte {
	return new(indenter).append(dst, document)
}

// An indenter indents a document that comes in parts, none of which ends within a string.
type indenter struct {
	depth int
	// opened reports whether the last part ended with an opening bracket, so that the next part decides
	// whether the value is empty.
	opened bool
}

func (in *indenter) append(dst, document []byte) []byte {
	if len(document) == 0 {
		return dst
	}
	depth := in.depth
	defer func() { in.depth = depth }()
	line := func() {
		dst = append(dst, '\n')
		for range depth {
			dst = append(dst, ' ', ' ')
		}
	}
	i := 0
	if in.opened {
		if in.opened = false; document[0] == '}' || document[0] == ']' {
			dst = append(dst, document[0])
			i++
		} else {
			depth++
			line()
		}
	}
	for ; i < len(document); i++ {
		c := document[i]
		switch c {
		case '"':
			end := i + 1
			for document[end] != '"' {
				if document[end] == '\\' {
					end++
				}
				end++
			}
			dst = append(dst, document[i:end+1]...)
			i = end
		case '{', '[':
			dst = append(dst, c)
			if i+1 == len(document) {
				in.opened = true
				break
			}
			if next := document[i+1]; next == '}' || next == ']' {
				dst = append(dst, next)
				i++
				break
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			dst = append(dst, c)
		case ',':
			dst = append(dst, c)
			line()
		case ':':
			dst = append(dst, c, ' ')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
