package shrink

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

// program has its stacks read and moved, jumps to and fro, and dies.
const program = `package main

import "runtime"

type tree struct{ left, right *tree }

func grow(depth int) *tree {
	var here [64]byte
	if depth == 0 {
		runtime.GC()
		return &tree{}
	}
	here[depth] = 1
	t := &tree{left: grow(depth - 1)}
	t.right = &tree{right: t.left}
	runtime.KeepAlive(&here)
	return t
}

func fail() (err any) {
	defer func() { err = recover() }()
	var t *tree
	return t.left
}

func count(words map[string]int, text string) (longest string) {
	begin := 0
next:
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text), text[i] == ' ':
		case text[i] >= 'A' && text[i] <= 'Z', text[i] == '-':
			continue next
		case text[i] < 'a' || text[i] > 'z':
			break next
		default:
			continue
		}
		word := text[begin:i]
		if begin = i + 1; word == "" {
			continue
		}
		words[word]++
		if len(word) > len(longest) {
			longest = word
		}
	}
	return longest
}

func main() {
	done := make(chan int)
	for range 8 {
		go func() {
			n := 0
			for t := grow(40); t != nil; t = t.left {
				n++
			}
			done <- n
		}()
	}
	for range 8 {
		println("depth", <-done)
	}
	words := map[string]int{}
	println(count(words, "what is what  and Over-And-over ? nothing"), words["what"], len(words))
	pc, _, _, _ := runtime.Caller(0)
	println(runtime.FuncForPC(pc).Name())
	println(uint64(1)<<63>>3, int32(-7)/2, float64(len(words))*0.5, fail().(error).Error())
	panic("the last one")
}
`

// said is what program says before it dies.
const said = `depth 41
depth 41
depth 41
depth 41
depth 41
depth 41
depth 41
depth 41
Over-And-over 2 4
main.main
1152921504606846976 -3 2 runtime error: invalid memory address or nil pointer dereference
panic: the last one`

// compileProgram returns the module of program, compiled with the flags of a Set,
// and a function that runs a module and returns what it says.
func compileProgram(t *testing.T, s Set) (module []byte, run func(module []byte) string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	root := t.TempDir()
	file := filepath.Join(root, "out.wasm")
	for name, text := range map[string]string{"go.mod": "module tiny.example/x\n\ngo 1.26\n", "main.go": program} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	goCommand := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), s.Env()...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	goroot := goCommand("env", "GOROOT")
	own, err := s.Without("late") // it imports no module
	if err != nil {
		t.Fatal(err)
	}
	instead, err := own.Overlay(overlay.Options{Root: "../..", GOROOT: goroot, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	args := slices.Concat([]string{"build", "-buildvcs=false", "-ldflags=-s -w", "-o", file}, instead, s.Flags())
	goCommand(append(args, ".")...)
	if module, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	return module, func(module []byte) string {
		if err := os.WriteFile(file, module, 0o644); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		c := exec.Command(node, filepath.Join(goroot, "lib", "wasm", "wasm_exec_node.js"), file)
		c.Env, c.Stderr = []string{}, &said
		if err := c.Run(); err == nil {
			t.Error("it did not die")
		}
		return said.String()
	}
}

// inBrotli returns about how much data weighs in brotli.
func inBrotli(t *testing.T, data []byte) int {
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, 5)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
