package site

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
)

// Weight is how much code a Go package has in the binary: as it is, and in
// brotli by itself, compressed quickly. Code that repeats itself weighs little
// in the end.
type Weight struct {
	Package string
	Bytes   int
	Brotli  int
}

// Weigh compiles a binary, the package pkg, with its symbols into file and adds up the code of
// each package as the site has it, the heaviest in brotli first. Last comes the data
// of all of them, which cannot be told apart.
func Weigh(ctx context.Context, root, pkg, file string) ([]Weight, error) {
	if err := buildWasm(ctx, root, file, pkg); err != nil {
		return nil, err
	}
	binary, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if binary, err = rework(binary, true); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	m, err := parseModule(binary)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	packages, err := packagesOf(ctx, root, pkg, wasmEnv...)
	if err != nil {
		return nil, err
	}
	find := packageFinder(packages)
	code := map[string][]byte{}
	for i, body := range m.code {
		name := find(m.names[m.imports+i])
		code[name] = append(code[name], body...)
	}
	weights := make([]Weight, 0, len(code)+1)
	for name, code := range code {
		weights = append(weights, Weight{name, len(code), quickSize(code)})
	}
	slices.SortFunc(weights, func(a, b Weight) int {
		return cmp.Or(b.Brotli-a.Brotli, strings.Compare(a.Package, b.Package))
	})
	return append(weights, Weight{"data of all packages", len(m.data), quickSize(m.data)}), nil
}

// quickSize is about how much data weighs in brotli.
func quickSize(data []byte) int {
	var n counter
	w := brotli.NewWriterLevel(&n, quickQuality)
	_, _ = w.Write(data) // a counter takes everything
	_ = w.Close()
	return int(n)
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// packagesOf lists the packages that a package is linked with, itself included.
func packagesOf(ctx context.Context, root, pkg string, env ...string) ([]string, error) {
	out, err := command{dir: root, args: []string{"go", "list", "-deps", pkg}, env: env}.run(ctx)
	return strings.Fields(string(out)), err
}

// notInName are the characters of a symbol that the linker replaces by "_" when
// it writes WebAssembly's names.
var notInName = regexp.MustCompile(`[^\w.]`)

// packageFinder returns a function that finds the package of a function as the
// linker names it: "net_http._ServeMux_.Handler" is net/http's.
func packageFinder(packages []string) func(name string) string {
	paths := map[string]string{"main": "main"}
	for _, path := range packages {
		paths[notInName.ReplaceAllString(path, "_")] = path
	}
	return func(name string) string {
		name = strings.TrimPrefix(name, "go_")
		for _, generated := range []string{"type_.eq.", "type_.hash."} {
			name = strings.TrimPrefix(name, generated)
		}
		// The longest package that the name begins with: gopkg.in_yaml.v3.Node
		// has dots in its package.
		for end := len(name); end > 0; {
			end = strings.LastIndexByte(name[:end], '.')
			if end < 0 {
				break
			}
			if path, ok := paths[name[:end]]; ok {
				return path
			}
		}
		return "of no package"
	}
}

// The parts of a WebAssembly module that are read here.
const (
	customSection    = 0
	importSection    = 2
	codeSection      = 10
	dataSection      = 11
	functionImport   = 0
	functionNamesSub = 1
)

var errModule = errors.New("not a WebAssembly module as Go's linker writes it")

// module is what is read of a WebAssembly module. Its functions are numbered
// from the imported ones on.
type module struct {
	imports int
	code    [][]byte
	names   map[int]string
	data    []byte
}

func parseModule(binary []byte) (*module, error) {
	if len(binary) < 8 || string(binary[:4]) != "\x00asm" {
		return nil, errModule
	}
	m := &module{}
	for r := (reader{data: binary[8:]}); len(r.data) > 0; {
		id := r.byte()
		section := reader{data: r.bytes(r.number())}
		if r.failed {
			return nil, errModule
		}
		switch id {
		case importSection:
			for range section.number() {
				section.bytes(section.number()) // module
				section.bytes(section.number()) // name
				if section.byte() != functionImport {
					return nil, errModule
				}
				section.number() // type
				m.imports++
			}
		case codeSection:
			for range section.number() {
				m.code = append(m.code, section.bytes(section.number()))
				if section.failed {
					return nil, errModule
				}
			}
		case dataSection:
			m.data = section.data
		case customSection:
			if string(section.bytes(section.number())) == "name" {
				m.names = section.functionNames()
			}
		}
		if section.failed {
			return nil, errModule
		}
	}
	return m, nil
}

// reader reads a module's bytes. After a failure it reads nothing but zeroes.
type reader struct {
	data   []byte
	failed bool
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) bytes(n int) []byte {
	if r.failed || n < 0 || n > len(r.data) {
		r.failed = true
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

// number reads an unsigned LEB128 number.
func (r *reader) number() int {
	v, n := binary.Uvarint(r.data)
	if r.failed || n <= 0 || v > 1<<31 {
		r.failed = true
		return 0
	}
	r.data = r.data[n:]
	return int(v)
}

// functionNames reads the rest of a name section.
func (r *reader) functionNames() map[int]string {
	names := map[int]string{}
	for len(r.data) > 0 && !r.failed {
		id := r.byte()
		sub := reader{data: r.bytes(r.number())}
		if id != functionNamesSub {
			continue
		}
		for range sub.number() {
			index := sub.number()
			names[index] = string(sub.bytes(sub.number()))
			if sub.failed {
				r.failed = true
				return nil
			}
		}
	}
	return names
}
