package format

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/tap"
)

// MaxRepeat bounds "# @repeat".
const MaxRepeat = 5000

// A Request is one request of an http block, as written: target, header values
// and body may hold {{references}}.
type Request struct {
	// Name is what other requests and checks call it; empty when it has none.
	Name string
	// Method is in capitals, Target a path with its query.
	Method, Target string
	Header         []tap.Field
	Body           string
	// Repeat is how often it is sent, with {{$index}} counting from 1; 1 for an
	// ordinary request.
	Repeat int
	// Source is the request's text in the lesson, Line where it starts.
	Source string
	Line   int

	target, body Template
	header       []Template
}

// Watch reports whether the request asks for a stream of events.
func (r *Request) Watch() bool {
	_, query, _ := strings.Cut(r.Target, "?")
	q, _ := url.ParseQuery(query)
	return isWatch(q)
}

func isWatch(q url.Values) bool {
	on, err := strconv.ParseBool(q.Get("watch"))
	return err == nil && on
}

// soon is how many seconds a stream may be asked for where its end is awaited.
const soon = 60

// endless reports whether the answer may be a stream that does not end soon: what a server takes for a watch, whatever
// the value is, or for a log to follow.
func (r *Request) endless() bool {
	path, query, _ := strings.Cut(r.Target, "?")
	q, _ := url.ParseQuery(query)
	p, _ := apipath.Parse(path)
	if seconds, err := strconv.Atoi(q.Get("timeoutSeconds")); err == nil && 0 < seconds && seconds <= soon {
		return q.Has("follow")
	}
	return p.Watch || q.Has("watch") || q.Has("follow")
}

// Label returns a short name for buttons: the request's own, or its method and path.
func (r *Request) Label() string {
	if r.Name != "" {
		return r.Name
	}
	path, _, _ := strings.Cut(r.Target, "?")
	return r.Method + " " + path
}

// Refs lists every reference in the request.
func (r *Request) Refs() []Ref {
	out := append(r.target.Refs(), r.body.Refs()...)
	for _, h := range r.header {
		out = append(out, h.Refs()...)
	}
	return out
}

var methods = map[string]bool{
	"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "OPTIONS": true,
}

// ParseHTTP reads requests in .http syntax. line is the number of src's first
// line in its file, for errors, which are of type *Error without a file name.
func ParseHTTP(src string, line int) ([]Request, error) {
	var requests []Request
	lines := SplitLines(src)
	for start := 0; start < len(lines); {
		end := start
		for end++; end < len(lines) && !strings.HasPrefix(lines[end], "###"); end++ {
		}
		r, err := parseRequest(lines[start:end], line+start)
		if err != nil {
			return nil, err
		}
		if r != nil {
			requests = append(requests, *r)
		}
		start = end
	}
	if len(requests) == 0 {
		return nil, errAt(line, "an http block without a request")
	}
	return requests, nil
}

// parseRequest reads the lines from one ### to the next. It returns nil when
// there are only comments and empty lines.
func parseRequest(lines []string, line int) (*Request, error) {
	r := &Request{Repeat: 1}
	i := 0
	for ; i < len(lines); i++ {
		s := strings.TrimSpace(lines[i])
		if s == "" {
			continue
		}
		comment, isComment := CutComment(s)
		if !isComment {
			break
		}
		if err := r.directive(s, comment, line+i); err != nil {
			return nil, err
		}
	}
	if i == len(lines) {
		if r.Name != "" || r.Repeat != 1 {
			return nil, errAt(line, "%q has no request line", r.Name)
		}
		return nil, nil
	}
	r.Line = line + i
	head := strings.TrimSpace(lines[i])
	for i++; i < len(lines); i++ { // a query may continue over indented lines
		s := strings.TrimSpace(lines[i])
		if s == "" || lines[i][0] != ' ' && lines[i][0] != '\t' || s[0] != '?' && s[0] != '&' {
			break
		}
		head += s
	}
	if err := r.requestLine(head); err != nil {
		return nil, errAt(r.Line, "%v", err)
	}
	for ; i < len(lines) && strings.TrimSpace(lines[i]) != ""; i++ {
		s := strings.TrimSpace(lines[i])
		if _, isComment := CutComment(s); isComment {
			continue
		}
		if err := r.headerLine(s); err != nil {
			return nil, errAt(line+i, "%v", err)
		}
	}
	if i < len(lines) {
		r.Body = strings.TrimSpace(strings.Join(lines[i+1:], "\n"))
	}
	var err error
	if r.body, err = ParseTemplate(r.Body); err != nil {
		return nil, errAt(r.Line, "body: %v", err)
	}
	if r.Repeat == 1 && (r.target.usesIndex() || r.body.usesIndex()) {
		return nil, errAt(r.Line, "{{$index}} in a request that is not repeated: put # @repeat N above it")
	}
	if r.Repeat > 1 && r.Watch() {
		return nil, errAt(r.Line, "a watch cannot be repeated")
	}
	if lines[0] == "###" {
		lines = lines[1:]
	}
	r.Source = strings.TrimSpace(strings.Join(lines, "\n"))
	return r, nil
}

// CutComment returns what follows the marks of a comment line.
func CutComment(s string) (string, bool) {
	if strings.HasPrefix(s, "//") {
		return strings.TrimSpace(s[2:]), true
	}
	if strings.HasPrefix(s, "#") {
		return strings.TrimSpace(strings.TrimLeft(s, "#")), true
	}
	return "", false
}

func (r *Request) directive(raw, comment string, line int) error {
	word, arg, _ := strings.Cut(comment, " ")
	arg = strings.TrimSpace(arg)
	switch {
	case word == "@name":
		if !isName(arg) {
			return errAt(line, "@name %q: a name starts with a letter and has letters, digits, - and _", arg)
		}
		r.Name = arg
	case word == "@repeat":
		n, err := strconv.Atoi(arg)
		if err != nil || n < 2 || n > MaxRepeat {
			return errAt(line, "@repeat %q: a number from 2 to %d is needed", arg, MaxRepeat)
		}
		r.Repeat = n
	case strings.HasPrefix(word, "@"):
		return errAt(line, "unknown directive %s: there are @name and @repeat", word)
	case strings.HasPrefix(raw, "###") && isName(comment):
		r.Name = comment
	}
	return nil
}

func (r *Request) requestLine(s string) error {
	words := fields(s)
	if last := words[len(words)-1]; strings.HasPrefix(last, "HTTP/") && len(words) > 1 {
		words = words[:len(words)-1]
	}
	switch len(words) {
	case 1:
		r.Method, r.Target = "GET", words[0]
	case 2:
		r.Method, r.Target = words[0], words[1]
	default:
		return fmt.Errorf("%q is not a request line: METHOD /path?query", s)
	}
	if !methods[r.Method] {
		return fmt.Errorf("unknown method %q", r.Method)
	}
	if !strings.HasPrefix(r.Target, "/") || strings.HasPrefix(r.Target, "//") {
		return fmt.Errorf("target %q: a path that starts with / is needed", r.Target)
	}
	var err error
	r.target, err = ParseTemplate(r.Target)
	return err
}

// fields splits at spaces, but not inside {{ }}.
func fields(s string) []string {
	open, last := false, rune(0)
	return strings.FieldsFunc(s, func(c rune) bool {
		if c == last && (c == '{' || c == '}') {
			open = c == '{'
		}
		last = c
		return unicode.IsSpace(c) && !open
	})
}

func (r *Request) headerLine(s string) error {
	name, value, ok := strings.Cut(s, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return fmt.Errorf("%q is not a header line; a body needs an empty line before it", s)
	}
	value = strings.TrimSpace(value)
	t, err := ParseTemplate(value)
	if err != nil {
		return fmt.Errorf("header %s: %w", name, err)
	}
	r.Header = append(r.Header, tap.Field{Name: name, Value: value})
	r.header = append(r.header, t)
	return nil
}

// An Outgoing is a request ready to be sent: nothing is left to fill in.
type Outgoing struct {
	Method, Target string
	Header         []tap.Field
	Body           string
	// Binary reports whether Body are bytes, and no text.
	Binary bool
}

// HTTP writes a request as an http block has it.
func (o Outgoing) HTTP() string {
	var b strings.Builder
	b.WriteString(o.Method + " " + o.Target + "\n")
	for _, h := range o.Header {
		b.WriteString(h.Name + ": " + h.Value + "\n")
	}
	if o.Body != "" {
		b.WriteString("\n" + o.Body + "\n")
	}
	return b.String()
}

// Resolve fills the references in.
func (r *Request) Resolve(index int, value func(Ref) (string, error)) (Outgoing, error) {
	number := fmt.Sprintf("%0*d", len(strconv.Itoa(r.Repeat)), index)
	out := Outgoing{Method: r.Method}
	var err error
	// What goes into the target is a path segment's or a query value's text.
	escaped := func(ref Ref) (string, error) {
		v, err := value(ref)
		return strings.ReplaceAll(url.QueryEscape(v), "+", "%20"), err
	}
	if out.Target, err = r.target.Expand(number, escaped); err != nil {
		return Outgoing{}, err
	}
	if out.Body, err = r.body.Expand(number, value); err != nil {
		return Outgoing{}, err
	}
	if r.body.bytesRef() {
		digits := strings.ReplaceAll(out.Body, " ", "")
		b, err := hex.DecodeString(digits)
		if err != nil {
			return Outgoing{}, fmt.Errorf("body: %w", err)
		}
		out.Body, out.Binary = string(b), true
	}
	typed := false
	for i, h := range r.Header {
		v, err := r.header[i].Expand(number, value)
		if err != nil {
			return Outgoing{}, err
		}
		out.Header = append(out.Header, tap.Field{Name: h.Name, Value: v})
		typed = typed || strings.EqualFold(h.Name, "Content-Type")
	}
	if out.Body != "" && !typed {
		out.Header = append(out.Header, tap.Field{Name: "Content-Type", Value: "application/json"})
	}
	return out, nil
}

func SplitLines(s string) []string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Split(s, "\n")
}
