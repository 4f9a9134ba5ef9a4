package shell

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/wasm/kubectl/programs"
)

// A job is a command that an input of a session has put into the background, by & at the end of it.
type job struct {
	n    int    // by which people name it: %1
	name string // what $! is behind it
	text string
	over context.Context    // ends with the job
	stop context.CancelFunc // ends it
}

// markKey is the key of the function to which marks of a context give their word.
type markKey struct{}

// markWord is the first argument of a mark.
const markWord = "tabernetes-mark"

// mark is a command that gives a word to the function of its context: what the interpreter alone can expand. Its status
// is status.
func mark(word, status string) *syntax.Stmt {
	file, err := parse(": " + markWord + " " + word + " " + status)
	if err != nil {
		panic(err)
	}
	return file.Stmts[0]
}

// background runs a command in the background.
func (s *session) background(ctx context.Context, st *syntax.Stmt) {
	over, ended := context.WithCancel(context.Background())
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(over, stop)

	foreground := *st
	foreground.Background = false
	j := &job{text: source(&foreground), over: over, stop: ended}
	// As a condition it ends nothing with set -e before it is marked as over.
	all := &syntax.IfClause{Cond: []*syntax.Stmt{&foreground}, Then: []*syntax.Stmt{mark("over", "0")},
		Else: &syntax.IfClause{Then: []*syntax.Stmt{mark("over", "$?")}}}
	marked := func(string) { ended() }
	in := &polite{Context: context.WithValue(work, markKey{}, marked), last: time.Now()}
	_ = s.runner.Run(in, &syntax.Stmt{Cmd: all, Background: true}) // it has begun, whatever happens to it
	named := func(name string) { j.name = name }
	_ = s.runner.Run(context.WithValue(ctx, markKey{}, named), mark("$!", "0"))

	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy()
	if j.n = 1; len(s.jobs) > 0 {
		j.n = s.jobs[len(s.jobs)-1].n + 1
	}
	s.jobs = append(s.jobs, j)
	fmt.Fprintf(s.o.Stderr, "[%d] %s\n", j.n, j.name)
}

// source returns the text of a command.
func source(node syntax.Node) string {
	var text strings.Builder
	_ = syntax.NewPrinter(syntax.SingleLine(true)).Print(&text, node) // what is parsed can be printed
	return strings.TrimSpace(text.String())
}

// tidy forgets the jobs that have ended.
func (s *session) tidy() {
	s.jobs = slices.DeleteFunc(s.jobs, func(j *job) bool { return j.over.Err() != nil })
}

// job returns the job that a word names, as %1, 1 or $!; "": the newest. nil means none.
func (s *session) job(word string) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy()
	if word = strings.TrimPrefix(word, "%"); word == "%" || word == "+" {
		word = ""
	}
	for _, j := range slices.Backward(s.jobs) {
		if word == "" || word == j.name || word == strconv.Itoa(j.n) {
			return j
		}
	}
	return nil
}

// sessionOf returns the session of what runs with a context; nil means none.
func (s *Shell) sessionOf(ctx context.Context) *session {
	in, _ := ctx.Value(inputKey{}).(input)
	return s.session(in.session)
}

// jobOf returns the job that a word names in the session of a context, or nil.
func (s *Shell) jobOf(ctx context.Context, word string) *job {
	if session := s.sessionOf(ctx); session != nil {
		return session.job(word)
	}
	return nil
}

// control is the programs jobs, kill, fg and bg.
func (s *Shell) control(ctx context.Context, c *programs.Call) int {
	fail := func(format string, args ...any) int {
		fmt.Fprintf(c.Stderr, "bash: "+c.Args[0]+": "+format+"\n", args...)
		return 1
	}
	session := s.sessionOf(ctx)
	if session == nil {
		return fail("no job control in this shell")
	}
	var words []string
	for _, word := range c.Args[1:] {
		if !strings.HasPrefix(word, "-") { // the signal is the same one whatever is asked for
			words = append(words, word)
		}
	}
	switch {
	case c.Args[0] == "jobs":
		session.mu.Lock()
		defer session.mu.Unlock()
		session.tidy()
		for _, j := range session.jobs {
			fmt.Fprintf(c.Stdout, "[%d]  Running                 %s &\n", j.n, j.text)
		}
		return 0
	case c.Args[0] == "kill" && len(words) == 0:
		return fail("which job? jobs lists them: kill %%1")
	case len(words) == 0:
		words = []string{""}
	}
	status := 0
	for _, word := range words {
		j := session.job(word)
		switch {
		case j == nil && word == "":
			status = fail("current: no such job")
		case j == nil:
			status = fail("%s: no such job", word)
		case c.Args[0] == "kill":
			j.stop()
		case c.Args[0] == "fg":
			fmt.Fprintln(c.Stdout, j.text)
			select {
			case <-j.over.Done():
			case <-ctx.Done():
				j.stop()
			}
		}
	}
	return status
}

// call has programs of ours take the place of builtins, gives marks to who has set them, and says as bash does why cd
// fails.
func (s *Shell) call(ctx context.Context, args []string) ([]string, error) {
	if marked, ok := ctx.Value(markKey{}).(func(string)); ok && len(args) == 4 && args[1] == markWord {
		marked(args[2])
		if args[3] == "0" {
			return args[:1], nil
		}
		return []string{"exit", args[3]}, nil // of the job's shell alone
	}
	if left, ok := ctx.Value(leftKey{}).(*atomic.Bool); ok && (args[0] == "exit" || args[0] == "exec") {
		left.Store(true)
	}
	if args[0] == "wait" {
		args = slices.Clone(args)
		for i, arg := range args {
			if strings.HasPrefix(arg, "%") {
				if j := s.jobOf(ctx, arg); j != nil {
					args[i] = j.name
				}
			}
		}
	}
	return call(ctx, args)
}

// leftKey is the key of what is set when an input says that its shell ends.
type leftKey struct{}
