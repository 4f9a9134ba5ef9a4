package format

import "fmt"

// An Error says what is wrong with a lesson's source, and where.
type Error struct {
	File string
	Line int
	Msg  string
}

// Error returns file:line: message.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

func errAt(line int, format string, args ...any) error {
	return &Error{Line: line, Msg: fmt.Sprintf(format, args...)}
}

// fail makes an error whose line is set later.
func fail(format string, args ...any) error { return fmt.Errorf(format, args...) }
