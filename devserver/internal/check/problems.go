package check

import (
	"regexp"
	"strings"

	"github.com/tabernetes/tabernetes/core/status"
)

var (
	// untyped begins the message for an object that is not of its type.
	untyped = regexp.MustCompile(`^failed to create typed patch object \(.*?, Kind=\w+\): `)
	// strict is a part of the message for fields that the type does not have, or that are there twice.
	strict = regexp.MustCompile(`((?:unknown|duplicate) field) "((?:[^"\\]|\\.)*)"`)
	// goField is a part of the message for a value of another type.
	goField = regexp.MustCompile(`(cannot unmarshal \w+) into Go struct field \w+\.([\w.]+) of type (\S+)`)
	// fielded is a message that begins with the path of a field.
	fielded = regexp.MustCompile(`^\.?([a-z]\w*(?:\.[^\s:=\[]+|\[(?:[^"\]]|"(?:[^"\\]|\\.)*")*\])*): `)
)

// undeclared is what server-side apply says of a field that the type does not have.
const undeclared = "field not declared in schema"

// split takes the path of a field from the beginning of a message; it is empty if none is there.
func split(message string) (field, rest string) {
	at := fielded.FindStringSubmatchIndex(message)
	if at == nil || !strings.ContainsAny(message[at[2]:at[3]], ".[") && message[0] != '.' {
		return "", message
	}
	return message[at[2]:at[3]], message[at[1]:]
}

// problems returns one finding for each thing that a Status says is wrong.
func problems(m *manifest, answer *status.Status) (all []Finding) {
	if answer.Details != nil {
		for _, cause := range answer.Details.Causes {
			if cause.Field != "" && cause.Field != "<nil>" {
				all = append(all, m.finding(Error, strings.TrimPrefix(cause.Field, "."), cause.Message))
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	if at := untyped.FindStringIndex(answer.Message); at != nil {
		for line := range strings.Lines(strings.TrimPrefix(answer.Message[at[1]:], "errors:\n")) {
			field, message := split(strings.TrimSpace(line))
			all = append(all, m.finding(Error, field, message))
		}
		return all
	}
	if strings.Contains(answer.Message, "strict decoding error") {
		for _, at := range strict.FindAllStringSubmatch(answer.Message, -1) {
			all = append(all, m.finding(Error, at[2], at[1]))
		}
	}
	if at := goField.FindStringSubmatch(answer.Message); at != nil {
		all = append(all, m.finding(Error, at[2], at[1]+" into "+at[3]))
	}
	if len(all) == 0 {
		all = append(all, m.finding(Error, "", answer.Message))
	}
	return all
}
