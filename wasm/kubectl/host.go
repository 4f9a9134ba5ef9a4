//go:build js && wasm

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"syscall"
	"syscall/js"
	"unicode/utf16"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/wasm/kubectl/kubectl"
	"github.com/tabernetes/tabernetes/wasm/kubectl/programs"
	"github.com/tabernetes/tabernetes/wasm/kubectl/shell"
)

// serve offers the shell as globalThis.shell, and stays.
//
// Functions that take a callback return at once, and call it when they are done; the others are done when they return.
// A session's descriptors are the instance's, which closes them when the session is closed. Those of a program are the
// host's, which closes them when the program has ended.
func serve() {
	h := &host{shell: &shell.Shell{Completer: kubectl.Complete}, terminals: map[int][]*os.File{}}
	functions := map[string]any{}
	for name, f := range map[string]func([]js.Value) any{
		"open": h.open, "close": h.close, "run": h.run, "interrupt": h.interrupt, "incomplete": h.incomplete,
		"runProgram": h.runProgram, "programs": h.programs, "commands": h.commands, "resize": h.resize,
		"complete": h.complete,
	} {
		functions[name] = js.FuncOf(func(_ js.Value, args []js.Value) (result any) {
			defer func() {
				if e := recover(); e != nil { // wrong arguments: JavaScript gets an Error, and the shell stays
					result = js.Global().Get("Error").New(fmt.Sprintf("%s: %v", name, e))
				}
			}()
			return f(args)
		})
	}
	js.Global().Set("shell", functions)
	js.Global().Call("shellReady")
	select {}
}

// A host answers what the page asks of the shell.
type host struct {
	shell     *shell.Shell
	terminals map[int][]*os.File
}

// open begins a session: its number, and {env, dir, stdin, stdout, stderr}.
func (h *host) open(args []js.Value) any {
	id, o := args[0].Int(), args[1]
	h.close(args[:1])
	t := []*os.File{file(o.Get("stdin")), file(o.Get("stdout")), file(o.Get("stderr"))}
	h.terminals[id] = t
	h.shell.Open(id, shell.Options{
		Env: withServer(texts(o.Get("env"))), Dir: o.Get("dir").String(), Stdin: t[0], Stdout: t[1], Stderr: t[2],
	})
	return nil
}

// close ends a session.
func (h *host) close(args []js.Value) any {
	id := args[0].Int()
	h.shell.Close(id)
	go closeAll(h.terminals[id])
	delete(h.terminals, id)
	return nil
}

// run runs an input: the session's number, the text, callback(status, dir, exited), and the input's number.
func (h *host) run(args []js.Value) any {
	id, text, callback, number := args[0].Int(), args[1].String(), args[2], args[3].Int()
	go func() {
		r := h.shell.Run(id, number, text)
		callback.Invoke(r.Status, r.Dir, r.Exited)
	}()
	return nil
}

// interrupt ends what a session runs; if its second argument is true, with all its jobs.
func (h *host) interrupt(args []js.Value) any {
	h.shell.Interrupt(args[0].Int(), len(args) > 1 && args[1].Truthy())
	return nil
}

func (h *host) incomplete(args []js.Value) any { return shell.Incomplete(args[0].String()) }

// resize says how large a session's terminal is: columns and lines.
func (h *host) resize(args []js.Value) any {
	id, columns, lines := args[0].Int(), args[1].Int(), args[2].Int()
	go h.shell.Resize(id, columns, lines)
	return nil
}

// runProgram runs a program: argv, env, dir, three descriptors, and callback(status). The status is 127 if there is no
// such program.
func (h *host) runProgram(args []js.Value) any {
	argv, fds, callback := texts(args[0]), args[3], args[4]
	var streams [3]stream
	for i := range streams {
		if streams[i] = -1; i < fds.Length() && fds.Index(i).Type() == js.TypeNumber {
			streams[i] = stream(fds.Index(i).Int())
		}
	}
	c := &programs.Call{Args: argv, Env: withServer(texts(args[1])), Dir: args[2].String(),
		Stdin: streams[0], Stdout: streams[1], Stderr: streams[2]}
	go func() { callback.Invoke(h.shell.RunProgram(context.Background(), c)) }()
	return nil
}

func (h *host) programs([]js.Value) any { return list(shell.Names()) }

// commands returns the simple commands of an input.
func (h *host) commands(args []js.Value) any {
	var all []any
	for _, words := range shell.Commands(args[0].String()) {
		all = append(all, list(words))
	}
	return all
}

// complete completes an input: the session's number, the line, where in it the cursor is, and callback({start, end,
// items: [{text, description, open}], note}), where open says that no space comes behind the text.
func (h *host) complete(args []js.Value) any {
	id, end, callback := args[0].Int(), args[2].Int(), args[3]
	// JavaScript counts in UTF-16.
	units := utf16.Encode([]rune(args[1].String()))
	text := string(utf16.Decode(units[:min(end, len(units))]))
	go func() {
		c := h.shell.Complete(id, text)
		items := make([]any, len(c.Items))
		for i, item := range c.Items {
			items[i] = map[string]any{"text": item.Text, "description": item.Description, "open": item.Open}
		}
		start := len(utf16.Encode([]rune(text[:c.Start])))
		callback.Invoke(map[string]any{"start": start, "end": end, "items": items, "note": c.Note})
	}()
	return nil
}

// withServer returns an environment that says where the server is.
func withServer(env []string) []string {
	return append([]string{"KUBERNETES_MASTER=" + clientcmd.ClusterDefaults.Server}, env...)
}

// file returns a descriptor as a file, or nil for none.
func file(fd js.Value) *os.File {
	if fd.Type() != js.TypeNumber || fd.Int() < 0 {
		return nil
	}
	return os.NewFile(uintptr(fd.Int()), "/dev/fd")
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// A stream is a descriptor that belongs to the host, or -1.
type stream int

// Read reads from the descriptor.
func (s stream) Read(data []byte) (int, error) {
	if s < 0 {
		return 0, io.EOF
	}
	n, err := syscall.Read(int(s), data)
	if n == 0 && err == nil && len(data) > 0 {
		err = io.EOF
	}
	return n, err
}

// Write writes all of data to the descriptor.
func (s stream) Write(data []byte) (written int, err error) {
	for s >= 0 && written < len(data) && err == nil {
		var n int
		n, err = syscall.Write(int(s), data[written:])
		written += n
	}
	if s < 0 {
		written = len(data)
	}
	return written, err
}

// IsTerminal reports whether it is a terminal.
func (s stream) IsTerminal() bool {
	var stat syscall.Stat_t
	return s >= 0 && syscall.Fstat(int(s), &stat) == nil && stat.Mode&syscall.S_IFMT == syscall.S_IFCHR
}

// texts returns an array of strings.
func texts(array js.Value) []string {
	all := make([]string, array.Length())
	for i := range all {
		all[i] = array.Index(i).String()
	}
	return all
}

// list returns strings for JavaScript.
func list(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}
