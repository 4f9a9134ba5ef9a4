package site

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
1152921504606846976 -3 2 runtime error: invalid memory address or nil pointer dereference
panic: the last one`

// compileProgram returns the module of program, and a function that runs a module
// and returns what it says.
func compileProgram(t *testing.T) (module []byte, run func(module []byte) string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	root := t.TempDir()
	write(t, root, map[string]string{"go.mod": "module tiny.example/x\n\ngo 1.26\n", "wasm/main.go": program})
	file := filepath.Join(root, "out.wasm")
	if err := buildWasm(context.Background(), root, file, serverPackage, "-ldflags=-s -w"); err != nil {
		t.Fatal(err)
	}
	if module, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	goroot, err := goRoot(context.Background(), root)
	if err != nil {
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

func TestShortenTraces(t *testing.T) {
	module, run := compileProgram(t)
	module, err := joinSegments(module)
	if err != nil {
		t.Fatal(err)
	}
	short := shortenTraces(module)
	if len(short) != len(module) || quickSize(short) > quickSize(module)*95/100 {
		t.Errorf("%d bytes became %d, in brotli %d became %d", len(module), len(short), quickSize(module), quickSize(short))
	}
	for what, got := range map[string]string{"long": run(module), "short": run(short)} {
		if !strings.HasPrefix(got, said) {
			t.Errorf("%s: %s", what, got)
		}
		if !strings.Contains(got, "\nmain.main()\n") {
			t.Errorf("%s: no name in %s", what, got)
		}
		if strings.Contains(got, "main.go:") != (what == "long") {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// TestShortenTracesSpares: what is not as it is known stays.
func TestShortenTracesSpares(t *testing.T) {
	head := func(numbers ...byte) string {
		var b strings.Builder
		b.WriteString(moduleHeader + tableMagic)
		for _, n := range numbers {
			b.WriteString(string(rune(n)) + "\x00\x00\x00\x00\x00\x00\x00")
		}
		return b.String()
	}
	for what, module := range map[string]string{
		"no table":          moduleHeader,
		"a cut header":      head(1, 1, 0),
		"another header":    head(1, 1, 0, 80, 81, 82, 83, 84, 0, 0, 0),
		"functions outside": head(9, 1, 0, 72, 72, 72, 72, 73) + "\x00",
		"another entry":     head(1, 1, 0, 72, 72, 72, 72, 73) + "\x00\x05\x00\x00\x00\x08\x00\x00\x00" + strings.Repeat("\x00", 60),
		"two tables":        head() + tableMagic,
	} {
		if got := shortenTraces([]byte(module)); string(got) != module {
			t.Errorf("%s: %q", what, got)
		}
	}
}

func FuzzShortenTraces(f *testing.F) {
	f.Add([]byte(moduleHeader + tableMagic))
	f.Fuzz(func(t *testing.T, module []byte) {
		if got := shortenTraces(module); len(got) != len(module) {
			t.Errorf("%d bytes became %d", len(module), len(got))
		}
	})
}
