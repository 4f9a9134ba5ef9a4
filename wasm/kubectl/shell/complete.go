package shell

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/wasm/kubectl/programs"
)

// A Completer returns what kubectl's __complete prints about some words of a command, of which the last is completed,
// in an environment.
type Completer func(words, env []string) string

// A Completion says what can take the place of the bytes from Start to the end of a text.
type Completion struct {
	Start int
	Items []Item
	// Note is what kubectl says about it, if it says something.
	Note string
}

// An Item is one of them.
type Item struct {
	Text, Description string
	// Open is whether more of the same word follows: no space comes behind it.
	Open bool
}

// Complete completes the end of a text, which is the start of an input of a session.
func (s *Shell) Complete(id int, text string) Completion {
	c := &completing{shell: s, word: lastWord(text), dir: "/"}
	if session := s.session(id); session != nil {
		c.dir, c.env = session.o.Dir, session.o.Env
		if session.running.TryLock() {
			defer session.running.Unlock()
			if r := session.runner; r != nil {
				c.dir, c.env, c.functions, c.variables = r.Dir, nil, slices.Collect(maps.Keys(r.Funcs)), nil
				for name, v := range r.Vars {
					if c.variables = append(c.variables, name); v.Exported && v.IsSet() {
						c.env = append(c.env, name+"="+v.String())
					}
				}
			}
		}
	}
	c.complete()
	slices.SortStableFunc(c.items, func(a, b Item) int { return strings.Compare(a.Text, b.Text) })
	return Completion{Start: c.word.start, Items: slices.Compact(c.items), Note: c.note}
}

// completing is one completion.
type completing struct {
	shell                *Shell
	word                 word
	dir                  string
	env                  []string
	functions, variables []string
	items                []Item
	note                 string
}

// wrappers are programs whose arguments are a command.
var wrappers = []string{"watch", "time", "xargs", "env", "timeout", "command", "exec", "sudo", "!", "then", "do",
	"else", "if", "while", "until", "which", "type"}

// keywords are what a command may begin with, besides programs.
var keywords = []string{"cd", "echo", "exit", "export", "for", "if", "printf", "pwd", "read", "set", "test", "type",
	"unset", "while", "k"}

func (c *completing) complete() {
	w := &c.word
	before := w.before
	for len(before) > 0 && (assigns(before[0]) || slices.Contains(wrappers, before[0])) {
		if before = before[1:]; len(before) > 0 && strings.HasPrefix(before[0], "-") {
			before = before[1:]
		}
	}
	name := ""
	if len(before) > 0 {
		name, _ = program(before[0])
	}
	switch {
	case strings.HasPrefix(w.text, "$") && w.quote != '\'':
		c.variable()
	case w.file:
		c.files(w.text, nil, false)
	case name == "" && strings.Contains(w.text, "/"):
		c.files(w.text, nil, false)
	case name == "":
		c.commands()
	case name == "kubectl" && c.shell.Completer != nil:
		c.kubectl(before[1:])
	case name == "cd" || name == "rmdir":
		c.files(w.text, nil, true)
	case name == "curl" && strings.HasPrefix(w.text, "@"):
		w.skip(1)
		c.files(w.text, nil, false)
	case name == "help":
	default:
		c.files(w.text, nil, false)
	}
}

// assigns reports whether a word sets a variable.
func assigns(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && syntax.ValidName(name)
}

// add adds an item if it begins with what is typed.
func (c *completing) add(text, description string, open bool) {
	if strings.HasPrefix(text, c.word.text) {
		c.items = append(c.items, Item{c.word.quoted(text), description, open})
	}
}

func (c *completing) variable() {
	names := append([]string{}, c.variables...)
	if c.variables == nil {
		for _, pair := range c.env {
			name, _, _ := strings.Cut(pair, "=")
			names = append(names, name)
		}
	}
	for _, name := range names {
		if strings.HasPrefix("$"+name, c.word.text) {
			c.items = append(c.items, Item{Text: "$" + name})
		}
	}
}

func (c *completing) commands() {
	for _, name := range slices.Concat(keywords, c.functions) {
		c.add(name, "", false)
	}
	for _, name := range Names() {
		if !programs.Refused(name) {
			c.add(name, "", false)
		}
	}
}

// files completes the path of a file: with some extensions only, if there are any, or directories only.
func (c *completing) files(text string, extensions []string, directories bool) {
	dir, base := path.Split(text)
	place := dir
	if home := programs.Variable(c.env, "HOME"); strings.HasPrefix(place, "~/") && home != "" {
		place = home + place[1:]
	}
	list, err := os.ReadDir(programs.Absolute(c.dir, place))
	if err != nil {
		return
	}
	for _, entry := range list {
		name := entry.Name()
		isDir := entry.IsDir()
		if entry.Type()&os.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(programs.Absolute(c.dir, place), name))
			isDir = err == nil && info.IsDir()
		}
		switch {
		case !strings.HasPrefix(name, base), strings.HasPrefix(name, ".") && !strings.HasPrefix(base, "."):
		case isDir:
			c.items = append(c.items, Item{Text: c.word.quoted(dir + name + "/"), Open: true})
		case directories:
		case len(extensions) == 0 || slices.Contains(extensions, strings.TrimPrefix(filepath.Ext(name), ".")):
			c.items = append(c.items, Item{Text: c.word.quoted(dir + name)})
		}
	}
}

// What cobra says of completions, as bits.
const (
	noSpace         = 2
	noFiles         = 4
	filesByEnding   = 8
	directoriesOnly = 16
)

// kubectl asks kubectl.
func (c *completing) kubectl(before []string) {
	w := &c.word
	answer := parseAnswer(c.shell.Completer(append(slices.Clone(before), w.text), c.env))
	c.note = strings.Join(answer.help, "\n")
	if strings.HasPrefix(w.text, "-") {
		if flag, _, ok := strings.Cut(w.text, "="); ok { // a value is completed, without its flag
			w.skip(len(flag) + 1)
		}
	}
	switch {
	case answer.directive&filesByEnding != 0:
		var endings []string
		for _, item := range answer.items {
			endings = append(endings, item.Text)
		}
		c.files(w.text, endings, false)
		return
	case answer.directive&directoriesOnly != 0:
		c.files(w.text, nil, true)
		return
	}
	for _, item := range answer.items {
		c.add(item.Text, item.Description, answer.directive&noSpace != 0 || strings.HasSuffix(item.Text, "="))
	}
	if len(answer.items) == 0 && answer.directive&noFiles == 0 {
		if i := strings.LastIndexByte(w.text, '='); i >= 0 { // --from-file=key=FILE
			w.skip(i + 1)
		}
		c.files(w.text, nil, false)
	}
}
