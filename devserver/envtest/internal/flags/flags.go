// Package flags reads the command lines of kube-apiserver and etcd as those programs do, and as those write them who
// start them in tests: --key=value, --key value, with one dash or two, a flag as often as one likes.
//
// Which flags there are, and what happens to them here, is a table: see Parse. Invariants: a flag that would make
// answers other than the real program's, and that this one does not have, is refused or named; none is dropped in
// silence. Flags that the table does not have are named, and left out.
//
// Reading costs a pass over the arguments.
package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Use says what happens to a flag.
type Use string

// The uses of flags.
const (
	// Used flags do what they do in the real program.
	Used Use = "used"
	// Quiet ones change nothing that a client sees here.
	Quiet Use = "quiet"
	// Said ones would change something, and do not: a line says so.
	Said Use = "said"
	// Refused ones end the program, with the reason.
	Refused Use = "refused"
)

// A Flag is one row of a table.
type Flag struct {
	Name string
	// Bool flags need no value: --name is --name=true.
	Bool bool
	Use  Use
	// Unless is a value that needs no word: that of the default, or one that asks for nothing.
	Unless string
	// Why says what is not done with a flag that is Said or Refused, or what one that is Used does.
	Why string
}

// A Table has the flags of a program.
type Table []Flag

// ReadTable reads a table of lines: name, bool or text, use, and the rest; a value that needs no word comes first in
// that, as unless=VALUE. It panics on other lines: tables are part of the program.
func ReadTable(text string) Table {
	var t Table
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 3 || fields[1] != "bool" && fields[1] != "text" ||
			!slices.Contains([]Use{Used, Quiet, Said, Refused}, Use(fields[2])) {
			panic("flags: no row of a table: " + line)
		}
		f := Flag{Name: fields[0], Bool: fields[1] == "bool", Use: Use(fields[2])}
		rest := fields[3:]
		if len(rest) > 0 {
			if value, ok := strings.CutPrefix(rest[0], "unless="); ok {
				f.Unless, rest = value, rest[1:]
			}
		}
		f.Why = strings.Join(rest, " ")
		t = append(t, f)
	}
	return t
}

func (t Table) flag(name string) *Flag {
	i := slices.IndexFunc(t, func(f Flag) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &t[i]
}

// Help returns the text of --help: one flag a line, as programs look for them.
func (t Table) Help(head string) string {
	var out strings.Builder
	out.WriteString(head)
	for _, f := range t {
		kind := " string"
		if f.Bool {
			kind = ""
		}
		what := f.Why
		switch {
		case f.Use == Quiet:
			what = strings.TrimSpace("changes nothing here " + what)
		case f.Use == Said:
			what = "has no effect here: " + what
		case f.Use == Refused:
			what = "refused here: " + what
		}
		fmt.Fprintf(&out, "      --%s%s\n                %s\n", f.Name, kind, what)
	}
	return out.String()
}

// ErrHelp is the error of a command line that asks for help, and ErrVersion for the version.
var (
	ErrHelp    = errors.New("help was asked for")
	ErrVersion = errors.New("the version was asked for")
)

// Values are the values of flags, in the order in which they were given.
type Values struct {
	values map[string][]string
	// Notes say what was left out.
	Notes []string
}

// Parse reads a command line. Errors say what is wrong with it; ErrHelp and ErrVersion are of --help, -h and --version.
func (t Table) Parse(args []string) (*Values, error) {
	v := &Values{values: map[string][]string{}}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, dashed := strings.CutPrefix(arg, "-")
		name = strings.TrimPrefix(name, "-")
		if !dashed || name == "" {
			return nil, fmt.Errorf("no arguments are taken, got %q", arg)
		}
		name, value, given := strings.Cut(name, "=")
		switch {
		case name == "help" || name == "h":
			return nil, ErrHelp
		case name == "version" && (value == "" || value == "true" || value == "raw"):
			return nil, ErrVersion
		}
		f := t.flag(name)
		switch {
		case given:
		case f != nil && f.Bool:
			value = "true"
		case len(args) > 0 && !strings.HasPrefix(args[0], "-"):
			value, args = args[0], args[1:]
		case f == nil:
			value = "true"
		default:
			return nil, fmt.Errorf("flag needs an argument: --%s", name)
		}
		if err := v.take(f, name, value); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// take takes one flag, which is nil if the table does not have it.
func (v *Values) take(f *Flag, name, value string) error {
	if f == nil {
		v.Notes = append(v.Notes, fmt.Sprintf("--%s is unknown here and is ignored", name))
		return nil
	}
	if f.Bool {
		if _, err := strconv.ParseBool(value); err != nil {
			return fmt.Errorf("invalid argument %q for \"--%s\" flag: strconv.ParseBool: parsing %q: invalid syntax", value,
				name, value)
		}
	}
	if value != f.Unless || f.Unless == "" {
		switch {
		case f.Use == Refused && value != "":
			return fmt.Errorf("--%s=%s cannot be had here: %s", name, value, f.Why)
		case f.Use == Said && value != "":
			v.Notes = append(v.Notes, fmt.Sprintf("--%s=%s has no effect here: %s", name, value, f.Why))
		}
	}
	v.values[name] = append(v.values[name], value)
	return nil
}

// Has reports whether a flag was given.
func (v *Values) Has(name string) bool { return len(v.values[name]) > 0 }

// Text returns the last value of a flag, or another text if it was not given.
func (v *Values) Text(name, otherwise string) string {
	if all := v.values[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return otherwise
}

// All returns all values of a flag.
func (v *Values) All(name string) []string { return v.values[name] }

// List returns the parts of all values of a flag, which commas separate.
func (v *Values) List(name string) []string {
	var all []string
	for _, value := range v.values[name] {
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				all = append(all, part)
			}
		}
	}
	return all
}

// Bool returns the last value of a flag.
func (v *Values) Bool(name string, otherwise bool) bool {
	on, err := strconv.ParseBool(v.Text(name, ""))
	if err != nil {
		return otherwise
	}
	return on
}

// Int returns the last value of a flag, which has to be a number.
func (v *Values) Int(name string, otherwise int) (int, error) {
	text := v.Text(name, "")
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("invalid argument %q for \"--%s\" flag: it has to be a number", text, name)
	}
	return n, nil
}

// Duration returns the last value of a flag, which has to be a time such as 1m30s.
func (v *Values) Duration(name string, otherwise time.Duration) (time.Duration, error) {
	text := v.Text(name, "")
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("invalid argument %q for \"--%s\" flag: %w", text, name, err)
	}
	return d, nil
}

// Map returns the parts of all values of a flag, of which each is KEY=VALUE, or KEY alone for KEY=true.
func (v *Values) Map(name string) map[string]string {
	all := map[string]string{}
	for _, part := range v.List(name) {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			value = "true"
		}
		all[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return all
}
