//go:build js && wasm

package store

import (
	"io"
	"strings"
	"syscall/js"
	"testing"
)

// over makes a Store of a JavaScript expression.
func over(expression string) Store {
	return New(js.Global().Call("eval", "("+expression+")"), func() {})
}

const memory = `((bytes = [], next = [], head = []) => ({
  read: (at) => WRAP(new Uint8Array(bytes.slice(at, at + 3))),
  append: (more) => { bytes.push(...more); return WRAP(undefined); },
  begin: () => { next = []; return WRAP(undefined); },
  write: (more) => { if (more[0] === 33) throw "no room"; next.push(...more); return WRAP(undefined); },
  commit: () => { bytes = next; return WRAP(undefined); },
  abort: () => { next = []; return WRAP(undefined); },
  head: () => WRAP(new Uint8Array(head)),
  saveHead: (all) => { head = [...all]; return WRAP(undefined); },
  setAside: () => WRAP("aside-1"),
  close: () => WRAP(undefined),
}))()`

func TestStore(t *testing.T) {
	for name, wrap := range map[string]string{"at once": "", "with promises": "Promise.resolve"} {
		t.Run(name, func(t *testing.T) {
			s := over(strings.ReplaceAll(memory, "WRAP", wrap))
			expect := func(want string) {
				t.Helper()
				log, err := s.Read()
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(log)
				if err != nil || string(got) != want {
					t.Errorf("read %q, %v; want %q", got, err, want)
				}
			}
			replace := func(pieces ...string) error {
				return s.Replace(func(w io.Writer) error {
					for _, p := range pieces {
						if _, err := io.WriteString(w, p); err != nil {
							return err
						}
					}
					return nil
				})
			}
			expect("")
			for _, p := range []string{"one ", "", "two"} {
				if err := s.Append([]byte(p)); err != nil {
					t.Fatal(err)
				}
			}
			expect("one two")
			if err := replace("thr", "ee"); err != nil {
				t.Fatal(err)
			}
			expect("three")
			if err := replace("fo", "!"); err == nil || !strings.Contains(err.Error(), "no room") {
				t.Errorf("a replacement that finds no room: %v", err)
			}
			expect("three")
			if err := s.SaveHead([]byte("5")); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Head(); err != nil || string(got) != "5" {
				t.Errorf("head %q, %v", got, err)
			}
			if got, err := s.SetAside(); err != nil || got != "aside-1" {
				t.Errorf("set aside as %q, %v", got, err)
			}
			expect("three")
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for name, tt := range map[string]struct{ method, want string }{
		"an error thrown":   {`() => { throw new Error("disk full") }`, "storage: append: disk full"},
		"a string thrown":   {`() => { throw "disk full" }`, "storage: append: disk full"},
		"an error rejected": {`async () => { throw new Error("disk full") }`, "storage: append: disk full"},
		"an exception": {
			`() => { throw new DOMException("too much", "QuotaExceededError") }`, "storage: append: too much",
		},
		"nothing rejected":   {`() => Promise.reject()`, "storage: append: undefined"},
		"an empty exception": {`() => { throw new DOMException("", "AbortError") }`, "storage: append: AbortError"},
	} {
		t.Run(name, func(t *testing.T) {
			err := over("{append: " + tt.method + "}").Append([]byte("x"))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("append fails with %v, want %q", err, tt.want)
			}
		})
	}
}
