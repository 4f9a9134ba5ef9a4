package site

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"

	"github.com/tabernetes/tabernetes/wasm/shrink"
)

// A Weight is the size of a Go package's code in the binary: as it is, and in brotli by itself, compressed quickly.
// Code that repeats itself adds little to the compressed binary.
type Weight struct {
	Package string
	Bytes   int
	Brotli  int
}

// Weigh compiles a binary, the package pkg, with its symbols into file and adds up the code of each package as the site
// has it, the largest in brotli first. The last row is the data of all packages, which cannot be separated.
func Weigh(ctx context.Context, root, pkg, file string) ([]Weight, error) {
	tricks, _, err := Tricks(ctx, root, "")
	if err != nil {
		return nil, err
	}
	binary, err := buildWasm(ctx, tricks, root, file, pkg)
	if err != nil {
		return nil, err
	}
	functions, data, err := shrink.Contents(binary)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	packages, err := packagesOf(ctx, root, pkg, tricks.Env()...)
	if err != nil {
		return nil, err
	}
	find := packageFinder(packages)
	code := map[string][]byte{}
	for _, f := range functions {
		name := find(f.Name)
		code[name] = append(code[name], f.Body...)
	}
	weights := make([]Weight, 0, len(code)+1)
	for name, code := range code {
		weights = append(weights, Weight{name, len(code), brotliSize(code, Quick)})
	}
	slices.SortFunc(weights, func(a, b Weight) int {
		return cmp.Or(b.Brotli-a.Brotli, strings.Compare(a.Package, b.Package))
	})
	return append(weights, Weight{"data of all packages", len(data), brotliSize(data, Quick)}), nil
}

// brotliSize returns the size of data in brotli of some quality, in bytes.
func brotliSize(data []byte, quality Quality) int {
	var n counter
	w := brotli.NewWriterOptions(&n, brotli.WriterOptions{Quality: int(quality), LGWin: window})
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
