package seed

import (
	"bytes"
	"encoding/json"
	"io"
)

// A Document is one of those that a file consists of.
type Document struct {
	Text []byte
	// Line is where Text begins in the file, from 1.
	Line int
}

// Documents splits a file where a line begins with three dashes, as YAML has it;
// or, if it begins with a brace, after each value of JSON.
func Documents(text []byte) []Document {
	var list []Document
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		values := json.NewDecoder(bytes.NewReader(text))
		for {
			var value json.RawMessage
			err := values.Decode(&value)
			switch {
			case err == nil:
				list = append(list, Document{value, lineAt(text, values.InputOffset()-int64(len(value)))})
				continue
			case err == io.EOF:
				return list
			case len(list) == 0: // it may be YAML that looks like this
			default:
				at := values.InputOffset()
				return append(list, Document{text[at:], lineAt(text, at)}) // whose error is said then
			}
			break
		}
	}
	begin, line, at := 0, 1, 0 // where the document begins, its line, and where the next line of the file does
	n := 0
	for each := range bytes.Lines(text) {
		n++
		if rest, ok := bytes.CutPrefix(each, []byte("---")); ok &&
			(len(bytes.TrimSpace(rest)) == 0 || rest[0] == ' ' || rest[0] == '\t') {
			list = append(list, Document{text[begin:at], line})
			begin, line = at+len("---"), n
		}
		at += len(each)
	}
	list = append(list, Document{text[begin:], line})
	if len(list) > 1 && onlyComments(list[0].Text) {
		list = list[1:] // what is before the first line of dashes is no document
	}
	return list
}

// lineAt returns the line of a place in a text, from 1.
func lineAt(text []byte, at int64) int { return 1 + bytes.Count(text[:at], []byte("\n")) }

// onlyComments reports whether text has nothing but comments and empty lines.
func onlyComments(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}
