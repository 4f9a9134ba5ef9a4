//go:build js && wasm

package store

import (
	"strings"
	"syscall/js"
	"testing"
)

// over makes a Store of a JavaScript expression.
func over(expression string) Store {
	return New(js.Global().Call("eval", "("+expression+")"))
}

const memory = `((bytes = []) => ({
  read: () => WRAP(new Uint8Array(bytes)),
  append: (more) => { bytes.push(...more); return WRAP(undefined); },
  replace: (all) => { bytes = [...all]; return WRAP(undefined); },
  setAside: () => { bytes = []; return WRAP("aside-1"); },
  close: () => WRAP(undefined),
}))()`

func TestStore(t *testing.T) {
	for name, wrap := range map[string]string{"at once": "", "with promises": "Promise.resolve"} {
		t.Run(name, func(t *testing.T) {
			s := over(strings.ReplaceAll(memory, "WRAP", wrap))
			expect := func(want string) {
				t.Helper()
				got, err := s.Read()
				if err != nil || string(got) != want {
					t.Errorf("read %q, %v; want %q", got, err, want)
				}
			}
			expect("")
			for _, p := range []string{"one ", "", "two"} {
				if err := s.Append([]byte(p)); err != nil {
					t.Fatal(err)
				}
			}
			expect("one two")
			if err := s.Replace([]byte("three")); err != nil {
				t.Fatal(err)
			}
			expect("three")
			if got, err := s.SetAside(); err != nil || got != "aside-1" {
				t.Errorf("set aside as %q, %v", got, err)
			}
			expect("")
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for name, tt := range map[string]struct{ method, want string }{
		"an error thrown":    {`() => { throw new Error("disk full") }`, "storage: append: disk full"},
		"a string thrown":    {`() => { throw "disk full" }`, "storage: append: disk full"},
		"an error rejected":  {`async () => { throw new Error("disk full") }`, "storage: append: disk full"},
		"an exception":       {`() => { throw new DOMException("too much", "QuotaExceededError") }`, "storage: append: too much"},
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
