package overlay

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// late is the name of the edits by which packages compute on first use what they compute at the start of each program
// that imports them, although few use it. Nearly all that a program does at its start is compiled then, function by
// function, so what is not done comes earlier twice.
const late = "late"

// The modules that are changed.
const (
	templates = "github.com/a-h/templ"
	yaml      = "go.yaml.in/yaml/v2"
	merge     = "sigs.k8s.io/structured-merge-diff/v6"
)

// lookup is the name of the edit by which the runtime finds the function of an address without the table that other
// processors need for it: in WebAssembly an address has the function's number, which is its place in the list of
// functions. Package shrink removes the table, which has 320 bytes for each function: a fifth of a binary.
const lookup = "lookup"

// edits are the project's own versions of files of modules, and of the standard library, whose module is "".
var edits = []edit{
	{name: lookup, file: "runtime/symtab.go", text: []change{
		{"\tb := x / abi.FuncTabBucketSize\n", "\t_ = x\n"},
		{"\ti := x % abi.FuncTabBucketSize / (abi.FuncTabBucketSize / nsub)\n", ""},
		{"\tffb := (*findfuncbucket)(add(unsafe.Pointer(datap.findfunctab), b*unsafe.Sizeof(findfuncbucket{})))\n", ""},
		{"\tidx := ffb.idx + uint32(ffb.subbuckets[i])\n", "\tidx := pcOff - datap.ftab[0].entryoff\n"},
	}},
	{name: late, module: templates, file: "late.go", own: lateExpression, text: inPackage("templ")},
	{name: late, module: templates, file: "scripttemplate.go", text: onUse},
	{name: late, module: templates, file: "safehtml/late.go", own: lateExpression, text: inPackage("safehtml")},
	{name: late, module: templates, file: "safehtml/style.go", text: onUse},
	{name: late, module: yaml, file: "late.go", own: lateExpression, text: inPackage("yaml")},
	{name: late, module: yaml, file: "encode.go", text: onUse},
	{name: late, module: yaml, file: "resolve.go", text: onUse},
	{name: late, module: merge, file: "typed/late.go", own: "wasm/overlay/late/typed.txt"},
	{name: late, module: merge, file: "typed/parser.go", text: []change{
		{"\t\"fmt\"\n", "\t\"fmt\"\n\t\"sync\"\n"},
		{"\nvar ssParser = createOrDie(YAMLObject(schema.SchemaSchemaYAML))\n",
			"\nvar ssParser = sync.OnceValue(func() *Parser { return createOrDie(YAMLObject(schema.SchemaSchemaYAML)) })\n"},
		{" ssParser.Type(", " ssParser().Type("},
		{"\nvar DeducedParseableType ParseableType = create", "\nvar _ = func() ParseableType { return create"},
		{"`)).Type(\"__untyped_deduced_\")\n", "`)).Type(\"__untyped_deduced_\") }\n"},
	}},
}

// lateExpression has a function late, by which a regular expression is compiled on first use.
const lateExpression = "wasm/overlay/late/regexp.txt"

var onUse = []change{{"\t\"regexp\"\n", ""}, {" = regexp.MustCompile(", " = late("}}

func inPackage(name string) []change {
	return []change{{"\npackage late\n", "\npackage " + name + "\n"}}
}

// An edit changes a file, or adds one, which is own with the changes. Each old text has to be there: in
// another version of the module somebody has to read what has changed.
type edit struct {
	name, module, file string
	own                string
	text               []change
}

type change struct{ old, new string }

// source returns what the file becomes. dir is the module's.
func (e edit) source(o Options, dir string) ([]byte, error) {
	file := filepath.Join(dir, filepath.FromSlash(e.file))
	if e.own != "" {
		file = filepath.Join(o.Root, filepath.FromSlash(e.own))
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for _, c := range e.text {
		if !bytes.Contains(source, []byte(c.old)) {
			return nil, fmt.Errorf("%s of %s has no %q: wasm/overlay/edits.go was written for another version",
				e.file, e.module, c.old)
		}
		source = bytes.ReplaceAll(source, []byte(c.old), []byte(c.new))
	}
	return source, nil
}

// replace writes what a file of the standard library becomes, and notes that it is read instead.
func (e edit) replace(o Options, with map[string]string) error {
	dir := filepath.Join(o.GOROOT, "src")
	source, err := e.source(o, dir)
	if err != nil {
		return err
	}
	edited := filepath.Join(o.Dir, strings.ReplaceAll(e.file, "/", "-"))
	with[filepath.Join(dir, filepath.FromSlash(e.file))] = edited
	return os.WriteFile(edited, source, 0o644)
}

// replaceModules writes the edited modules and a go.mod that has them instead into o.Dir, and returns the flag with
// which the go command reads that. It lets nobody replace files of a module where it keeps them.
func replaceModules(o Options) (string, error) {
	mod, err := os.ReadFile(filepath.Join(o.Root, "go.mod"))
	if err != nil {
		return "", err
	}
	dirs, err := modules(o.Root, string(mod))
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(o.Root, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	to := filepath.Join(o.Dir, late)
	if err := os.RemoveAll(to); err != nil {
		return "", err
	}
	for _, m := range slices.Sorted(maps.Keys(dirs)) {
		dir := filepath.Join(to, filepath.FromSlash(m))
		if err := copyModule(dirs[m], dir); err != nil {
			return "", err
		}
		if dir, err = filepath.Rel(o.Root, dir); err != nil { // relative, since binaries record it
			return "", err
		}
		mod = fmt.Appendf(mod, "\nreplace %s => ./%s\n", m, filepath.ToSlash(dir))
	}
	for _, e := range edits {
		if dirs[e.module] == "" {
			continue
		}
		source, err := e.source(o, dirs[e.module])
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.FromSlash(e.module+"/"+e.file)), source, 0o644); err != nil {
			return "", err
		}
	}
	page := filepath.Join(o.Dir, "page.mod")
	if err := os.WriteFile(filepath.Join(o.Dir, "page.sum"), sums, 0o644); err != nil {
		return "", err
	}
	return "-modfile=" + page, os.WriteFile(page, mod, 0o644)
}

// copyModule copies what a module is compiled from.
func copyModule(from, to string) error {
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(file, "_test.go") {
			return err
		}
		if ext := filepath.Ext(file); ext != ".go" && ext != ".mod" && ext != ".version" {
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		copied := filepath.Join(to, strings.TrimPrefix(file, from))
		if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
			return err
		}
		return os.WriteFile(copied, data, 0o644)
	})
}

// modules returns the directories of the edited modules, by their paths: of those that the project requires by its
// go.mod.
func modules(root, gomod string) (map[string]string, error) {
	var required []string
	for _, e := range edits {
		if !slices.Contains(required, e.module) && strings.Contains(gomod, "\t"+e.module+" v") {
			required = append(required, e.module)
		}
	}
	dirs := map[string]string{}
	if required == nil {
		return dirs, nil
	}
	cmd := exec.Command("go", append([]string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}, required...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs[path] = dir
	}
	return dirs, nil
}
