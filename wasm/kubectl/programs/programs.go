// Package programs has the small programs of the terminal: ls, cat, grep, sort, curl, jq and others, as people know
// them from GNU and BSD systems, with the flags that are used most.
//
// Each is a function that reads and writes what its Call has, so that several can run in one process at the same time:
// none uses the process' working directory, environment or standard streams.
//
// Invariants:
//   - What a program has read from a pipe is written before it waits for more: `kubectl get -w | grep x` shows each
//     line as it comes.
//   - A program whose output nobody reads ends with status 141, and one that is interrupted with 130, as by signals.
//   - A flag that a program does not know ends it with a sentence; none is ignored.
package programs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// A Call is one run of a program.
type Call struct {
	// Args are its arguments; the first is its name.
	Args []string
	// Env are variables, as KEY=value; Dir is the directory that relative paths are of.
	Env []string
	Dir string

	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Run runs another program, and returns its exit status.
	Run func(context.Context, *Call) int
	// Names are the names of all programs that there are, for help and which.
	Names func() []string

	ctx context.Context
	out *bufio.Writer
	in  *bufio.Reader
}

// A program is run with a Call, and returns its exit status.
type program func(*Call) int

// all are the programs by their names. init fills it, since some of them name others.
var all map[string]program

// Find reports whether there is a program of a name.
func Find(name string) bool { return all[name] != nil }

// Names returns the names of all programs, in order.
func Names() []string { return slices.Sorted(maps.Keys(all)) }

// Statuses of programs that did not end by themselves.
const (
	faulty      = 70
	interrupted = 130
	brokenPipe  = 141
)

// An end is the panic by which a program ends at once, with a status: where it writes to a pipe that nobody reads any
// more, or reads after it was interrupted.
type end struct{ status int }

// Run runs the program that the call names, which there has to be, and returns its exit status.
func Run(ctx context.Context, c *Call) (status int) {
	c.ctx, c.out = ctx, bufio.NewWriterSize(output{c}, 32<<10)
	c.in = bufio.NewReaderSize(c.input(c.Stdin), 32<<10)
	defer func() {
		switch e := recover().(type) {
		case nil:
		case end:
			status = e.status
		default: // it must not take the others of the process along
			fmt.Fprintf(c.Stderr, "%s: this program has a fault: %v\n", c.Args[0], e)
			status = faulty
		}
	}()
	status = all[c.Args[0]](c)
	_ = c.out.Flush()
	if ctx.Err() != nil {
		return interrupted
	}
	return status
}

// output is a program's standard output: an error ends the program.
type output struct{ c *Call }

func (o output) Write(data []byte) (int, error) {
	n, err := o.c.Stdout.Write(data)
	if o.c.ctx.Err() != nil {
		panic(end{interrupted})
	}
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		panic(end{brokenPipe})
	}
	if err != nil {
		fmt.Fprintf(o.c.Stderr, "%s: write error: %s\n", o.c.Args[0], Reason(err))
		panic(end{1})
	}
	return n, nil
}

// input returns a reader that writes on what the program has printed before it waits for more.
func (c *Call) input(r io.Reader) io.Reader {
	if r == nil {
		r = strings.NewReader("")
	}
	return flushing{c, r}
}

type flushing struct {
	c *Call
	r io.Reader
}

func (f flushing) Read(data []byte) (int, error) {
	_ = f.c.out.Flush()
	n, err := f.r.Read(data)
	if f.c.ctx.Err() != nil {
		panic(end{interrupted})
	}
	return n, err
}

// copy prints what r has. The output must not read by itself (io.ReaderFrom): reading flushes it.
func (c *Call) copy(r io.Reader) { _, _ = io.Copy(struct{ io.Writer }{c.out}, r) }

// printf writes to the standard output.
func (c *Call) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

// complain writes a line to the standard error, after the program's name.
func (c *Call) complain(format string, args ...any) {
	_ = c.out.Flush()
	fmt.Fprintf(c.Stderr, c.Args[0]+": "+format+"\n", args...)
}

// fail complains, and returns the status 1.
func (c *Call) fail(format string, args ...any) int {
	c.complain(format, args...)
	return 1
}

// getenv returns a variable of the call's environment, "" if it is not set.
func (c *Call) getenv(name string) string { return Variable(c.Env, name) }

// Variable returns a variable of an environment; empty if it is not set.
func Variable(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// path returns where a file is.
func (c *Call) path(name string) string { return Absolute(c.Dir, name) }

// Absolute returns where a file is whose name is relative to a directory, or absolute.
func Absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// Reason says why something failed, as the C library does.
func Reason(err error) string {
	var pathError *fs.PathError
	var linkError *os.LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "No such file or directory"
	case errors.As(err, &pathError):
		err = pathError.Err
	case errors.As(err, &linkError):
		err = linkError.Err
	}
	text := err.Error()
	first, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[n:]
}

// open opens a file to read it; "-" is the standard input. A directory is an error.
func (c *Call) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(c.in), nil
	}
	f, err := os.Open(c.path(name))
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(f.Close(), syscall.EISDIR)
	}
	return struct {
		io.Reader
		io.Closer
	}{bufio.NewReaderSize(c.input(f), 32<<10), f}, nil
}

// each calls do with each of some files in turn, or with the standard input without any. It complains about those
// that cannot be opened, and returns 1 then.
func (c *Call) each(names []string, do func(name string, r *bufio.Reader)) (status int) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		r, err := c.open(name)
		if err != nil {
			status = c.fail("%s: %s", name, Reason(err))
			continue
		}
		do(name, bufio.NewReaderSize(r, 32<<10))
		_ = r.Close()
	}
	return status
}

// lines calls do with each line of r, without its end, until do returns false.
func (c *Call) lines(r *bufio.Reader, do func(line string) bool) {
	for {
		line, err := r.ReadString('\n')
		if line == "" && err != nil {
			return
		}
		if !do(strings.TrimSuffix(line, "\n")) || err != nil {
			return
		}
	}
}

// terminal reports whether what the program writes goes to a terminal.
func (c *Call) terminal() bool { return IsTerminal(c.Stdout) }

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	if s, ok := stream.(interface{ IsTerminal() bool }); ok {
		return s.IsTerminal()
	}
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}
