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
)

// Weight is how much code a Go package has in the binary.
type Weight struct {
	Package string
	Bytes   int
}

// Weigh compiles the binary with its symbols into file and adds up the code of
// each package, heaviest first. The packages' data, and the tables of the
// runtime, cannot be told apart and are left out.
func Weigh(ctx context.Context, root, file string) ([]Weight, error) {
	if err := GoBuild(ctx, root, file, "./wasm", nil, "GOOS=js", "GOARCH=wasm"); err != nil {
		return nil, err
	}
	binary, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sizes, err := functionSizes(binary)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	packages, err := packagesOf(ctx, root, "./wasm", "GOOS=js", "GOARCH=wasm")
	if err != nil {
		return nil, err
	}
	find := packageFinder(packages)
	total := map[string]int{}
	for name, size := range sizes {
		total[find(name)] += size
	}
	weights := make([]Weight, 0, len(total))
	for name, size := range total {
		weights = append(weights, Weight{name, size})
	}
	slices.SortFunc(weights, func(a, b Weight) int {
		return cmp.Or(b.Bytes-a.Bytes, strings.Compare(a.Package, b.Package))
	})
	return weights, nil
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
	functionImport   = 0
	functionNamesSub = 1
)

var errModule = errors.New("not a WebAssembly module as Go's linker writes it")

// functionSizes reads a module's code section and its names.
func functionSizes(module []byte) (map[string]int, error) {
	if len(module) < 8 || string(module[:4]) != "\x00asm" {
		return nil, errModule
	}
	var imports int
	var sizes []int
	var names map[int]string
	for r := (reader{data: module[8:]}); len(r.data) > 0; {
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
				imports++
			}
		case codeSection:
			for range section.number() {
				size := section.number()
				section.bytes(size)
				if section.failed {
					return nil, errModule
				}
				sizes = append(sizes, size)
			}
		case customSection:
			if string(section.bytes(section.number())) == "name" {
				names = section.functionNames()
			}
		}
		if section.failed {
			return nil, errModule
		}
	}
	total := map[string]int{}
	for i, size := range sizes {
		total[names[imports+i]] += size
	}
	return total, nil
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
