package overlay

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	goyaml "sigs.k8s.io/yaml/goyaml.v2"
)

// behaviour is set for a process that prints what the edited modules do.
const behaviour = "TABERNETES_PRINT_BEHAVIOUR"

// begins and ends enclose it.
const begins, ends = "<<<", ">>>"

// TestBehaviour prints what the edited modules do, for TestLate.
func TestBehaviour(t *testing.T) {
	if os.Getenv(behaviour) == "" {
		t.Skip("TestLate calls it")
	}
	fmt.Println(begins)
	deduced := typed.DeducedParseableType
	for _, def := range deduced.Schema.Types {
		text, err := json.Marshal([]any{deduced.TypeRef, def.Name, def.Scalar, def.List, def.Map})
		fmt.Println(string(text), err)
	}
	_, err := typed.NewParser("types:\n- name: a\n  map:\n    fields:\n    - name: b\n      type: {scalar: string}\n")
	fmt.Println(err)
	_, err = typed.NewParser("types:\n- nam: a\n")
	fmt.Println(err)
	for _, text := range []string{"1.5", "-.5e3", "1e3x", "1_000", "1.", ".", "+1.25E-7", "0x1p", "12:30:45"} {
		var value any
		err := goyaml.Unmarshal([]byte(text), &value)
		back, err2 := goyaml.Marshal(text)
		fmt.Printf("%T %v %v %q %v\n", value, value, err, back, err2)
	}
	for _, name := range []string{"go", "a.b", "a b", "1", "$x"} {
		fmt.Println(templ.SafeScript(name, 1))
	}
	for _, style := range [][2]string{
		{"color", "red"}, {"color", "red;}"}, {"a b", "red"}, {"font-family", "Arial, x y"}, {"font-family", "a;b"},
		{"display", "block"}, {"display", "1"}, {"width", "calc(1px)"},
	} {
		fmt.Println(templ.SanitizeCSS(style[0], style[1]))
	}
	fmt.Println(ends)
}

// TestLate: with the changes the modules do the same, and compute nothing when a program starts.
func TestLate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the modules")
	}
	run := func(flags ...string) (did string, started map[string]int) {
		binary := filepath.Join(t.TempDir(), "test")
		build := exec.Command("go", slices.Concat([]string{"test"}, flags, []string{"-c", "-o", binary, "./wasm/overlay"})...)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
		cmd := exec.Command(binary, "-test.run=^TestBehaviour$", "-test.v")
		cmd.Env = append(os.Environ(), behaviour+"=1", "GODEBUG=inittrace=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatal(err, string(out))
		}
		_, did, _ = strings.Cut(string(out), begins)
		did, _, _ = strings.Cut(did, ends)
		started = map[string]int{}
		for _, init := range regexp.MustCompile(`(?m)^init (\S+) .* (\d+) allocs$`).FindAllStringSubmatch(string(out), -1) {
			allocs, _ := strconv.Atoi(init[2])
			started[init[1]] = allocs
		}
		return did, started
	}
	was, before := run()
	is, after := run(flags(t, func(name string) bool { return name == late })...)
	if is != was || was == "" {
		t.Errorf("with the changes: %s\nwithout: %s", is, was)
	}
	for name, want := range map[string]int{
		"sigs.k8s.io/structured-merge-diff/v6/typed": 40, "go.yaml.in/yaml/v2": 80,
		"github.com/a-h/templ": 40, "github.com/a-h/templ/safehtml": 40,
	} {
		if before[name] <= want || after[name] > want {
			t.Errorf("%s allocates %d times at the start, and %d without the changes; more than %d are too many",
				name, after[name], before[name], want)
		}
	}
}

// TestOtherVersion: a file that is not as it was when its change was written makes an error.
func TestOtherVersion(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/resolve.go", "package yaml\n")
	e := edits[slices.IndexFunc(edits, func(e edit) bool { return e.file == "resolve.go" })]
	if _, err := e.source(Options{Root: root, Dir: dir}, dir); err == nil || !strings.Contains(err.Error(), "resolve.go") {
		t.Errorf("it is changed all the same: %v", err)
	}
}
