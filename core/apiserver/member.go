package apiserver

// member returns the text of a member of a JSON object, or nil. It requires the
// object to be valid and compact, as all stored objects are.
func member(document []byte, name string) []byte {
	for i := 1; i < len(document) && document[i] == '"'; i++ {
		colon := skipText(document, i)
		end := skipValue(document, colon+1)
		if string(document[i+1:colon-1]) == name {
			return document[colon+1 : end]
		}
		i = end
	}
	return nil
}

// skipText returns the end of the string that begins at i.
func skipText(document []byte, i int) int {
	for i++; document[i] != '"'; i++ {
		if document[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue returns the end of the value that begins at i.
func skipValue(document []byte, i int) int {
	for depth := 0; ; {
		switch document[i] {
		case '"':
			i = skipText(document, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1 + min(0, depth)
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
}
