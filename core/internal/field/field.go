// Package field has the errors of object validation: the field, the kind of violation, and the
// texts of kube-apiserver. A list of them becomes the causes and the message of a Status with
// reason Invalid.
//
// Invariants: the texts are those of kube-apiserver, letter for letter, since clients and people
// search for them. Values are printed as the API prints them: strings quoted as Go quotes them,
// numbers and booleans bare, anything else as JSON with sorted keys.
//
// Making a path costs a string; checks that run with Lazily make paths only if there is a
// violation.
package field

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A Type classifies an Error. Its text is the reason of a Status cause.
type Type string

// The types an Error can have.
const (
	TypeNotFound     Type = "FieldValueNotFound"
	TypeRequired     Type = "FieldValueRequired"
	TypeDuplicate    Type = "FieldValueDuplicate"
	TypeInvalid      Type = "FieldValueInvalid"
	TypeNotSupported Type = "FieldValueNotSupported"
	TypeForbidden    Type = "FieldValueForbidden"
	TypeTooLong      Type = "FieldValueTooLong"
	TypeTooMany      Type = "FieldValueTooMany"
	TypeTooFew       Type = "FieldValueTooFew"
	TypeTooShort     Type = "FieldValueTooShort"
	TypeWrongType    Type = "FieldValueTypeInvalid"
	TypeInternal     Type = "InternalError"
)

var words = map[Type]string{
	TypeNotFound:     "Not found",
	TypeRequired:     "Required value",
	TypeDuplicate:    "Duplicate value",
	TypeInvalid:      "Invalid value",
	TypeNotSupported: "Unsupported value",
	TypeForbidden:    "Forbidden",
	TypeTooLong:      "Too long",
	TypeTooMany:      "Too many",
	TypeTooFew:       "Too few",
	TypeTooShort:     "Too short",
	TypeWrongType:    "Invalid value",
	TypeInternal:     "Internal error",
}

// An Error is one violation: of one rule about one field.
type Error struct {
	Type     Type
	Field    string
	BadValue any
	Detail   string
}

// Raw is a BadValue that is printed as it is, for values whose JSON in an error is not the JSON of
// the API.
type Raw string

type omitted struct{}

// Omitted is a BadValue that is not printed.
var Omitted any = omitted{}

// Error returns the field's path, then the Body.
func (e *Error) Error() string { return e.Field + ": " + e.Body() }

// Body returns the message of the cause in a Status: the error without its field.
func (e *Error) Body() string {
	s := words[e.Type]
	if e.printsValue() {
		s += ": " + printed(e.BadValue)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

func (e *Error) printsValue() bool {
	switch e.Type {
	case TypeRequired, TypeForbidden, TypeTooLong, TypeTooShort, TypeInternal:
		return false
	}
	_, omit := e.BadValue.(omitted)
	return !omit
}

func printed(v any) string {
	switch v := v.(type) {
	case Raw:
		return string(v)
	case string:
		return strconv.Quote(v)
	case bool, int, int32, int64, float32, float64:
		return fmt.Sprint(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(text)
}

// NotFound returns the error for a value that names something that does not exist.
func NotFound(p Path, value any) *Error { return &Error{TypeNotFound, string(p), value, ""} }

// Required returns the error for a missing value.
func Required(p Path, detail string) *Error { return &Error{TypeRequired, string(p), "", detail} }

// Duplicate returns the error for a value that occurs twice where that is not allowed.
func Duplicate(p Path, value any) *Error { return &Error{TypeDuplicate, string(p), value, ""} }

// Invalid returns the error for a value that is malformed or out of range.
func Invalid(p Path, value any, detail string) *Error {
	return &Error{TypeInvalid, string(p), value, detail}
}

// NotSupported returns the error for a value that is not one of the supported ones, which are listed
// in the order given.
func NotSupported[T ~string](p Path, value any, supported ...T) *Error {
	quoted := make([]string, len(supported))
	for i, s := range supported {
		quoted[i] = strconv.Quote(string(s))
	}
	detail := ""
	if len(quoted) > 0 {
		detail = "supported values: " + strings.Join(quoted, ", ")
	}
	return &Error{TypeNotSupported, string(p), value, detail}
}

// Forbidden returns the error for a field that may not be set, or not in this way.
func Forbidden(p Path, detail string) *Error { return &Error{TypeForbidden, string(p), "", detail} }

// TooLong returns the error for a value of more than max bytes.
func TooLong(p Path, max int) *Error {
	return &Error{TypeTooLong, string(p), "<value omitted>", "may not be more than " + count(max, "byte")}
}

// TooLongCharacters returns the error for a value of more than max characters.
func TooLongCharacters(p Path, max int) *Error {
	return &Error{TypeTooLong, string(p), "<value omitted>", "may not be more than " + count(max, "character")}
}

// TooMany returns the error for a list or map with more entries than allowed.
func TooMany(p Path, actual, max int) *Error {
	return &Error{TypeTooMany, string(p), actual, "must have at most " + count(max, "item")}
}

// Internal returns the error for a field that could not be checked.
func Internal(p Path, err error) *Error {
	return &Error{TypeInternal, string(p), nil, err.Error()}
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}

// An ErrorList is the violations of one object, in the order in which they were found.
type ErrorList []*Error

// MaxErrors is how many errors of an object are listed. The real server lists all: an object with a violation for
// each of its values makes hundreds of bytes of answer of each, and more in memory.
const MaxErrors = 20_000

// Add appends errors, up to MaxErrors in all.
func (l *ErrorList) Add(errs ...*Error) {
	*l = append(*l, errs[:min(len(errs), max(0, MaxErrors-len(*l)))]...)
}

// Message joins the errors, as Aggregate does: equal ones appear once, though they stay two causes.
func (l ErrorList) Message() string { return Aggregate(l.Texts()) }

// Texts returns what each error says.
func (l ErrorList) Texts() []string {
	texts := make([]string, len(l))
	for i, e := range l {
		texts[i] = e.Error()
	}
	return texts
}

// Aggregate joins the texts of errors: a single one as it is, several in brackets, without
// duplicates.
func Aggregate(errors []string) string {
	var texts []string
	said := map[string]bool{}
	for _, text := range errors {
		if !said[text] {
			said[text] = true
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// Err returns nil for an empty list, else an error whose text is the Message.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil
	}
	return invalid{l}
}

type invalid struct{ list ErrorList }

func (i invalid) Error() string { return i.list.Message() }

// Unwrap lets errors.As find the single errors.
func (i invalid) Unwrap() []error {
	errs := make([]error, len(i.list))
	for n, e := range i.list {
		errs[n] = e
	}
	return errs
}

// A Cause is one entry of a Status's details.causes.
type Cause struct{ Reason, Message, Field string }

// Causes returns the causes for a Status, including duplicates.
func (l ErrorList) Causes() []Cause {
	causes := make([]Cause, len(l))
	for i, e := range l {
		causes[i] = Cause{Reason: string(e.Type), Message: e.Body(), Field: e.Field}
	}
	return causes
}
