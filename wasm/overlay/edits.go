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
// that imports them, although few use it. An engine compiles each function when it runs first, which takes most of the
// start: what does not run is not compiled either.
const late = "late"

// lookup is the name of the change by which the runtime finds the function of an address without the table that other
// processors need for it: in WebAssembly an address has the function's number, which is its place in the list of
// functions. Package shrink removes the table, which has 320 bytes for each function: a fifth of a binary.
const lookup = "lookup"

// symbols is that change of the standard library.
var symbols = edit{file: "runtime/symtab.go", text: []change{
	{"\tb := x / abi.FuncTabBucketSize\n", "\t_ = x\n"},
	{"\ti := x % abi.FuncTabBucketSize / (abi.FuncTabBucketSize / nsub)\n", ""},
	{"\tffb := (*findfuncbucket)(add(unsafe.Pointer(datap.findfunctab), b*unsafe.Sizeof(findfuncbucket{})))\n", ""},
	{"\tidx := ffb.idx + uint32(ffb.subbuckets[i])\n", "\tidx := pcOff - datap.ftab[0].entryoff\n"},
}}

// The modules that are changed.
const (
	templates = "github.com/a-h/templ"
	yaml      = "go.yaml.in/yaml/v2"
	merge     = "sigs.k8s.io/structured-merge-diff/v6"
)

// edits are the changes of modules, all of the name late.
var edits = []edit{
	{module: templates, file: "late.go", own: lateExpression, text: inPackage("templ")},
	{module: templates, file: "scripttemplate.go", text: onUse("jsFunctionName")},
	{module: templates, file: "safehtml/late.go", own: lateExpression, text: inPackage("safehtml")},
	{module: templates, file: "safehtml/style.go", text: onUse("identifierPattern", "genericFontFamilyName",
		"safeRegularPropertyValuePattern", "safeEnumPropertyValuePattern")},
	{module: yaml, file: "late.go", own: lateExpression, text: inPackage("yaml")},
	{module: yaml, file: "encode.go", text: onUse("base60float")},
	{module: yaml, file: "resolve.go", text: onUse("yamlStyleFloat")},
	{module: merge, file: "typed/late.go", own: "wasm/overlay/late/typed.txt"},
	{module: merge, file: "typed/parser.go", text: []change{
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

// onUse has all regular expressions of a file compiled that way: those of these variables.
func onUse(variables ...string) []change {
	changes := []change{{"\t\"regexp\"\n", ""}}
	for _, v := range variables {
		changes = append(changes, change{"\nvar " + v + " = regexp.MustCompile(", "\nvar " + v + " = late("})
	}
	return changes
}

func inPackage(name string) []change {
	return []change{{"\npackage late\n", "\npackage " + name + "\n"}}
}

// An edit changes a file of a module, or adds one, which is own with the changes.
type edit struct {
	module, file string
	own          string
	text         []change
}

type change struct{ old, new string }

// Replace returns a source with a text replaced, which has to be there exactly once: in another version of the source
// somebody has to read what has changed.
func Replace(source []byte, old, new string) ([]byte, error) {
	if n := bytes.Count(source, []byte(old)); n != 1 {
		return nil, fmt.Errorf("it has %q %d times, and not once", old, n)
	}
	return bytes.Replace(source, []byte(old), []byte(new), 1), nil
}

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
		if source, err = Replace(source, c.old, c.new); err != nil {
			return nil, fmt.Errorf("%s was changed: bring wasm/overlay/edits.go up to date: %w", file, err)
		}
	}
	return source, nil
}

// replace writes what the file, which is of the standard library, becomes, and notes that it is read instead.
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
