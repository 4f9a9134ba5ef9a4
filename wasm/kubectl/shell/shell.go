// Package shell is the shell of the terminal: bash's language, by mvdan.cc/sh, for several terminals in one process.
//
// A session is one terminal: it has its own variables, functions and directory, which it keeps from one input to
// the next. The small programs (package programs) run in the shell's process; everything else is a process that os/exec
// starts.
//
// Invariants:
//   - An interrupt ends what the session runs, with its processes, and leaves the session and its jobs as they are: the
//     status is 130.
//   - A session runs one input at a time; sessions run at the same time.
//   - A loop that never waits gives the host a turn every 50 ms, so that an interrupt reaches it.
//   - Nothing here knows of JavaScript: the same shell runs natively, in its tests.
package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// Interrupted is the status of what an interrupt ended.
const Interrupted = 130

// A Shell has the sessions.
type Shell struct {
	// Completer completes commands of kubectl. It may be nil.
	Completer Completer

	mu       sync.Mutex
	sessions map[int]*session
}

// Options are what a session begins with.
type Options struct {
	// Env are variables, as KEY=value, which are exported; Dir is a directory.
	Env []string
	Dir string
	// Stdin, Stdout and Stderr are the terminal.
	Stdin, Stdout, Stderr *os.File
}

// A session is one terminal.
type session struct {
	shell *Shell
	id    int
	o     Options

	running sync.Mutex // held while an input runs; it guards runner
	runner  *interp.Runner

	mu     sync.Mutex
	cancel context.CancelFunc // of what runs
	jobs   []*job
	inner  []context.CancelFunc // of inputs that have put something into the background within a command
}

// Open begins a session. Another one of the same number is closed.
func (s *Shell) Open(id int, o Options) {
	s.Close(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions == nil {
		s.sessions = map[int]*session{}
	}
	s.sessions[id] = &session{shell: s, id: id, o: o}
}

// session returns a session, or nil.
func (s *Shell) session(id int) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}

// Close ends a session, and what it runs. Its terminal is not closed.
func (s *Shell) Close(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.sessions[id]; old != nil {
		old.interrupt(true)
		delete(s.sessions, id)
	}
}

// Interrupt ends what a session runs, and with all its jobs as well.
func (s *Shell) Interrupt(id int, all bool) {
	if session := s.session(id); session != nil {
		session.interrupt(all)
	}
}

// interrupt ends what the session runs, and with all its jobs as well.
func (s *session) interrupt(all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
	}
	if !all {
		return
	}
	for _, j := range s.jobs {
		j.stop()
	}
	for _, cancel := range s.inner {
		cancel()
	}
}

// Resize sets the variables that say how large a session's terminal is, when what it runs has ended.
func (s *Shell) Resize(id, columns, lines int) {
	if session := s.session(id); session != nil {
		session.running.Lock()
		defer session.running.Unlock()
		session.run(0, fmt.Sprintf("export COLUMNS=%d LINES=%d", columns, lines))
	}
}

// A Result says how an input ended.
type Result struct {
	// Status is the exit status of its last command.
	Status int
	// Dir is the session's directory afterwards.
	Dir string
	// Exited is whether the input said that the session ends.
	Exited bool
}

// Run runs an input of a session, when those before it have ended. Its number is in the environment of its processes.
func (s *Shell) Run(id, number int, text string) (r Result) {
	session := s.session(id)
	if session == nil {
		return Result{Status: 1}
	}
	session.running.Lock()
	defer session.running.Unlock()
	defer func() {
		if e := recover(); e != nil { // it must not take the other sessions along
			session.say(fmt.Sprintf("this shell has a fault: %v", e))
			r = Result{Status: 1, Dir: session.o.Dir}
		}
	}()
	return session.run(number, text)
}

func (s *session) run(number int, text string) Result {
	if err := s.start(); err != nil {
		s.say(err.Error())
		return Result{Status: 1, Dir: s.o.Dir}
	}
	file, err := parse(text)
	if err != nil {
		s.say(explain(err))
		return Result{Status: 2, Dir: s.runner.Dir}
	}
	ctx, done := s.context(file, number)
	defer done()
	result := Result{}
	left := &atomic.Bool{}
	ctx = context.WithValue(ctx, leftKey{}, left)
	for _, st := range file.Stmts {
		if st.Background {
			s.background(ctx, st)
			result.Status = 0
			continue
		}
		err := s.runner.Run(ctx, st)
		result.Status = status(ctx, err)
		var code interp.ExitStatus
		if err != nil && !errors.As(err, &code) && ctx.Err() == nil {
			s.say(err.Error()) // a fault of the shell's
		} else if s.runner.Exited() && ctx.Err() == nil {
			if result.Exited = left.Load(); !result.Exited {
				s.say("set -e would end a shell here. This terminal goes on; set +e turns that off.")
			}
		}
		if ctx.Err() != nil { // also if it came when the command had ended
			result.Status = Interrupted
			break
		}
		if s.runner.Exited() {
			break
		}
	}
	result.Dir = s.runner.Dir
	if strings.Contains(text, "<(") {
		removeSubstitutions()
	}
	return result
}

// removeSubstitutions removes the files of <(…), where they are no named pipes.
func removeSubstitutions() {
	files, _ := filepath.Glob(filepath.Join(os.TempDir(), "sh-interp-*")) // the pattern is well formed
	for _, file := range files {
		_ = os.Remove(file) // what is left takes room alone
	}
}

// start makes the session's runner, the first time.
func (s *session) start() (err error) {
	if s.runner != nil {
		return nil
	}
	s.runner, err = s.shell.runner(Options{Env: append([]string{"SHELL=/bin/bash"}, s.o.Env...), Dir: s.o.Dir},
		interp.StdIO(s.o.Stdin, s.o.Stdout, s.o.Stderr), interp.Interactive(true))
	return err
}

// context returns the context of an input. It ends with the input, unless jobs of it continue.
func (s *session) context(file *syntax.File, number int) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), inputKey{}, input{s.id, number}))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = cancel
	background := false
	for _, top := range file.Stmts {
		syntax.Walk(top, func(node syntax.Node) bool {
			st, ok := node.(*syntax.Stmt)
			background = background || ok && (st.Background && st != top || st.Disown)
			return true
		})
	}
	if background {
		s.inner = append(s.inner, cancel)
	}
	return &polite{Context: ctx, last: time.Now()}, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.cancel = nil; !background {
			cancel()
		}
	}
}

// say writes a line of the shell's own to the terminal.
func (s *session) say(text string) { _, _ = s.o.Stderr.WriteString("bash: " + text + "\n") }

// status returns the exit status that an error of the interpreter stands for.
func status(ctx context.Context, err error) int {
	var code interp.ExitStatus
	switch {
	case ctx.Err() != nil:
		return Interrupted
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	return 1
}

// A polite context gives others a turn when it is asked whether it has ended, which the interpreter does before each
// command. WebAssembly in a browser has one thread, so that a loop would keep the interrupt from it.
type polite struct {
	context.Context
	mu   sync.Mutex
	last time.Time
}

func (p *polite) Err() error {
	p.mu.Lock()
	late := time.Since(p.last) > 50*time.Millisecond
	if late {
		p.last = time.Now()
	}
	p.mu.Unlock()
	if late {
		time.Sleep(time.Millisecond)
	}
	if p.Context.Err() != nil {
		return errInterrupted
	}
	return nil
}

// errInterrupted is the error of a context that was interrupted. It has no text: where the interpreter prints it, a
// person sees an empty line.
var errInterrupted error = interruption{}

type interruption struct{}

func (interruption) Error() string { return "" }

// inputKey is the key of the input that a context is of.
type inputKey struct{}

// An input is one of a session's, by its number.
type input struct{ session, number int }

// env says in the environment of processes which input they are of.
func (i input) env() []string {
	return []string{"TABERNETES_SESSION=" + strconv.Itoa(i.session), "TABERNETES_COMMAND=" + strconv.Itoa(i.number)}
}

// runner makes an interpreter.
func (s *Shell) runner(o Options, more ...interp.RunnerOption) (*interp.Runner, error) {
	return interp.New(append([]interp.RunnerOption{
		interp.Env(expand.ListEnviron(o.Env...)),
		interp.Dir(o.Dir),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return s.exec }),
		interp.CallHandler(s.call),
		interp.OpenHandler(open),
	}, more...)...)
}
