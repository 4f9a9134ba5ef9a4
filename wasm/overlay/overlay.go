// Package overlay has the go command compile other sources for the page's binaries than those that lie there: the
// project's own versions of packages of the standard library, which are much smaller because they hold only what the
// binaries use, and files with changes, by which a program starts earlier. The folders below have the
// stand-ins, each with tests that compare it with what it stands for.
//
// Flags writes the files for the go command's flags -overlay and -modfile. Nothing outside of the directory given is
// written.
//
// Invariants:
//   - Each stand-in can be left out by its name (package shrink has the list), as
//     long as those that need it are left out too. So can the changes.
//   - A changed file does the same. One that is not as it was when the change was
//     written makes an error.
//   - The sources are those of the Go version that go.mod pins: another one's
//     packages have other files. With another version nothing of this is used.
//
// Costs: the directories of some packages are listed for each binary, and the changed modules,
// 3 MB of sources, are copied.
package overlay

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A standin is the project's own version of a package of the standard library. Those of one name go together.
type standin struct {
	name string
	path string
	file string            // its only file, in the project
	kept func(string) bool // the package's files that stay beside it; nil: none
}

var standins = []standin{
	{name: "http", path: "net/http", file: "wasm/overlay/http/http.go", kept: func(name string) bool {
		return name == "method.go" || name == "status.go" || name == "sniff.go"
	}},
	{name: "crypto", path: "crypto/rand", file: "wasm/overlay/rand/rand.txt"},
	{name: "crypto", path: "crypto/internal/boring", file: "wasm/overlay/boring/boring.txt"},
	{name: "crypto", path: "crypto/hmac", file: "wasm/overlay/hmac/hmac.go"},
	{name: "godebug", path: "internal/godebug", file: "wasm/overlay/godebug/godebug.go"},
	{name: "slices", path: "slices", file: "wasm/overlay/slices/sort.go", kept: func(name string) bool {
		return name != "zsortanyfunc.go" && name != "zsortordered.go"
	}},
}

// Names lists the stand-ins and the changes.
func Names() []string {
	var names []string
	for _, s := range standins {
		names = append(names, s.name)
	}
	return append(slices.Compact(names), lookup, late)
}

// Options say which stand-ins a binary has.
type Options struct {
	// Root is the project's directory, GOROOT that of the Go distribution.
	Root, GOROOT string
	// Dir is the directory that is written to. The file in it is of use until the next call.
	Dir string
	// Has reports whether a stand-in, or the changes of a name, are used.
	Has func(name string) bool
	// Replace are further files that are replaced: a file, and the one that is read instead, or "" for none.
	Replace map[string]string
}

// Flags returns the go command's flags by which it takes the stand-ins.
func Flags(o Options) ([]string, error) {
	for _, path := range []*string{&o.Root, &o.Dir} {
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	replace := map[string]string{} // as o.Replace
	maps.Copy(replace, o.Replace)
	for _, s := range standins {
		if !o.Has(s.name) {
			continue
		}
		if err := s.replace(o, replace); err != nil {
			return nil, err
		}
	}
	if o.Has(lookup) {
		if err := symbols.replace(o, replace); err != nil {
			return nil, err
		}
	}
	var flags []string
	if o.Has(late) {
		flag, err := replaceModules(o)
		if err != nil {
			return nil, err
		}
		flags = append(flags, flag)
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(o.Dir, "overlay.json")
	return append(flags, "-overlay="+file), os.WriteFile(file, text, 0o644)
}

// replace notes what the files of a package become: its own file one of them, the
// others nothing, as if they were not there.
func (s standin) replace(o Options, with map[string]string) error {
	dir := filepath.Join(o.GOROOT, "src", filepath.FromSlash(s.path))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && (s.kept == nil || !s.kept(e.Name())) {
			with[filepath.Join(dir, e.Name())] = ""
		}
	}
	with[filepath.Join(dir, "own.go")] = filepath.Join(o.Root, filepath.FromSlash(s.file))
	return nil
}
