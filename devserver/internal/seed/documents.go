package seed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

// documents splits a file where a line begins with three dashes, as YAML has it;
// or, if it begins with a brace, after each value of JSON.
func documents(text []byte) [][]byte {
	var list [][]byte
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		values := json.NewDecoder(bytes.NewReader(text))
		for {
			var value json.RawMessage
			err := values.Decode(&value)
			switch {
			case err == nil:
				list = append(list, value)
				continue
			case err == io.EOF:
				return list
			case len(list) == 0: // it may be YAML that looks like this
			default:
				return append(list, text[values.InputOffset():]) // whose error is said then
			}
			break
		}
	}
	var document []byte
	lines := bufio.NewReader(bytes.NewReader(text))
	for {
		line, err := lines.ReadBytes('\n')
		if rest, ok := bytes.CutPrefix(line, []byte("---")); ok &&
			(len(bytes.TrimSpace(rest)) == 0 || rest[0] == ' ' || rest[0] == '\t') {
			list, document = append(list, document), slices.Clone(rest)
		} else {
			document = append(document, line...)
		}
		if err != nil {
			break
		}
	}
	list = append(list, document)
	if len(list) > 1 && onlyComments(list[0]) {
		list = list[1:] // what is before the first line of dashes is no document
	}
	return list
}

// onlyComments reports whether text has nothing but comments and empty lines.
func onlyComments(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}
