package kubectl

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// A patch changes one file of what kubectl is built from, or adds one.
type patch struct {
	// file is the file, by its import path.
	file string
	// sha256 is that of the original, in hex. With another original the build fails: somebody has to read it. "": without
	// an original, own is added.
	sha256 string
	// own is a file of wasm/kubectl/patches that is read instead; "" and no edits: there is no such file.
	own string
	// edits are changes of the original.
	edits []edit
	// standard is whether the file is one of the standard library, of the Go version that the project's go.mod pins.
	standard bool
	// trick is whether the patch only saves weight: it is left out with the tricks of wasm/shrink.
	trick bool
	// reason says why.
	reason string
}

// An edit has old, which occurs exactly once, become new.
type edit struct{ old, new string }

// patches are all of them. README.md of wasm/kubectl shows them.
var patches = []patch{
	{
		file:   "k8s.io/kubectl/pkg/util/umask.go",
		sha256: "422f65105e5442627f53427891af7242d84b5796b65b82ea5ad75af248823788",
		own:    "umask.txt",
		reason: "there is no umask for js",
	},
	{
		file:   "k8s.io/kubectl/pkg/util/term/resizeevents.go",
		sha256: "f77900d7d213e19fefc28a077d845ae1ae36fece02dcf3c1323548b03a623346",
		own:    "resizeevents.txt",
		reason: "there is no SIGWINCH for js, and nothing that could ask for it",
	},
	{
		file:   "k8s.io/kubectl/pkg/util/interrupt/interrupt.go",
		sha256: "cd3ce09b2cd7ce1eb6a296ce91be5f0dcb93a62651a7dcd7a16ca225423d0b63",
		edits:  []edit{{old: "syscall.SIGHUP, "}},
		reason: "there is no SIGHUP for js",
	},
	{
		file:   "k8s.io/kubectl/pkg/cmd/plugin.go",
		sha256: "59968155fcb2f43a56ddb101802af7a2050fa7d60ead3854a1028f9a8c5b7c1b",
		edits: []edit{{
			"return syscall.Exec(executablePath, append([]string{executablePath}, cmdArgs...), environment)",
			"return syscall.ENOSYS",
		}},
		reason: "no process can become another one, for js",
	},
	{
		file:   "github.com/moby/term/term_unix.go",
		sha256: "3be31689c400d751a6ad1c500b730dcd37412c235c48aec36633e3f020aaca45",
		own:    "term.txt",
		reason: "there is no ioctl for js: the host says in COLUMNS and LINES how large its terminal is",
	},
	{
		file:   "github.com/moby/term/termios_unix.go",
		sha256: "6b19f799ab6e2ea51b972d8a3c47d5027858ad70edce6464276537a3a11581c2",
		reason: "the same",
	},
	{
		file:   "github.com/moby/term/termios_nonbsd.go",
		sha256: "8e37443810665002addd0878eb2bfae93026934f71eb1a8bcacd045a7aedf3a2",
		reason: "the same",
	},
	{
		file:     "text/template/exec.go",
		sha256:   "ca14feb551ec536deeddfd46efdfa60d1c328e6d1b00cd5aa6ca944e379c282a",
		edits:    []edit{{"ptr.MethodByName(fieldName)", "methodByName(ptr, fieldName)"}},
		standard: true,
		trick:    true,
		reason:   "the linker keeps every method of every type when one is looked up by any name",
	},
	{
		file: "text/template/own.go", own: "methods.txt", standard: true, trick: true,
		reason: "the methods that templates may call, for the row before",
	},
	{
		file: "syscall/tab.go", own: "processes.txt", standard: true,
		reason: "pipes and processes are those of the host: `fs.pipe`, `process.spawn`, `wait`, `kill` and `which`",
	},
	{
		file:   "syscall/fs_js.go",
		sha256: "3c2647c02dda3e153206b26e2fa7215b3aad2e6e2f06080c4c61125e52dbfe67",
		edits: []edit{
			{"func Pipe(fd []int) error {\n\treturn ENOSYS\n}\n", ""},
			{"return nil, EBADF", "return adopt(fd), nil"},
		},
		standard: true,
		reason:   "the same; descriptors that the host gives are known to it alone",
	},
	{
		file:   "syscall/syscall_js.go",
		sha256: "3576e1890a9372b42369f4edfac135bd7d9b4d11c067433e7204959c08612166",
		edits: []edit{
			{"Exited() bool       { return false }", "Exited() bool       { return true }"},
			{"ExitStatus() int    { return 0 }", "ExitStatus() int    { return int(w) }"},
			{"func Kill(pid int, signum Signal) error { return ENOSYS }\n", ""},
			{"func StartProcess(argv0 string, argv []string, attr *ProcAttr) (pid int, handle uintptr, err error) {\n" +
				"\treturn 0, 0, ENOSYS\n}\n", ""},
			{"func Wait4(pid int, wstatus *WaitStatus, options int, rusage *Rusage) (wpid int, err error) {\n" +
				"\treturn 0, ENOSYS\n}\n", ""},
		},
		standard: true,
		reason:   "the same",
	},
	{
		file:     "os/pipe_wasm.go",
		sha256:   "489f8474573b072f95ca0522dd9cc8c92a5e9e9e6eff97f892d49b8f4b7a4d7b",
		own:      "pipe.txt",
		standard: true,
		reason:   "the same",
	},
	{
		file:     "os/exec/lp_wasm.go",
		sha256:   "0f96273c2fe46bce8a32d1c2d7d371cd08a6368dcafb6f00803c2c5c5b3b72db",
		own:      "lookpath.txt",
		standard: true,
		reason:   "the same",
	},
	{
		file:   "mvdan.cc/sh/v3/interp/runner.go",
		sha256: "d532175072bf43c71f7945aba378d9567cafe0a8f1d3761dd65287d2bf0ec71c",
		edits: []edit{{
			"\t\t\t// We can't atomically create a random unused temporary FIFO.\n",
			"\t\t\treturn r.fileOf(ctx, ps)\n",
		}},
		reason: "there are no named pipes: the file of `<(…)` is written first",
	},
	{
		file: "mvdan.cc/sh/v3/interp/substitution.go", own: "substitution.txt",
		reason: "the same",
	},
	{
		file:   "mvdan.cc/sh/v3/interp/stdin_js.go",
		sha256: "fac0098382f7cde280fddc88ed64a166f05cce761ad0d4c338c3fc53323e3445",
		reason: "the shell's pipes are the host's, so that processes can have them",
	},
	{
		file:   "mvdan.cc/sh/v3/interp/stdin_os.go",
		sha256: "7d6783f9ba513b36d84968fa177b9f5106d64292f1d7cdb2087ce544a3e5b63c",
		edits:  []edit{{old: "//go:build !js\n"}},
		reason: "the same",
	},
}

// errChanged is the error of a patch whose original is not the one it was written for.
var errChanged = errors.New("it is not the file that the patch was written for: " +
	"read what has changed in it, and bring the row of devserver/internal/kubectl/patches.go up to date")

// check fails if the original is not the one that the patch was written for.
func (p patch) check(original []byte) error {
	if got := site.ContentHash(original); got != p.sha256 {
		return fmt.Errorf("%s has the SHA-256 %s, and not %s: %w", p.file, got, p.sha256, errChanged)
	}
	return nil
}

// apply returns what a file becomes.
func (p patch) apply(original []byte) ([]byte, error) {
	if err := p.check(original); err != nil {
		return nil, err
	}
	for _, e := range p.edits {
		if n := bytes.Count(original, []byte(e.old)); n != 1 {
			return nil, fmt.Errorf("%s has %q %d times, and not once: %w", p.file, e.old, n, errChanged)
		}
		original = bytes.Replace(original, []byte(e.old), []byte(e.new), 1)
	}
	return original, nil
}

// sources are the directories of what is patched.
type sources struct {
	vendor, standard string // of modules, and of the standard library
	own              string // wasm/kubectl/patches
	out              string // where changed files are written to
}

// place returns where a file is.
func (s sources) place(p patch) string {
	if p.standard {
		return filepath.Join(s.standard, filepath.FromSlash(p.file))
	}
	return filepath.Join(s.vendor, filepath.FromSlash(p.file))
}

// replacements writes the changed files, and returns for each patched file the one that is read instead, "" for none.
func (s sources) replacements(tricks bool) (map[string]string, error) {
	instead := map[string]string{}
	for i, p := range patches {
		if p.trick && !tricks {
			continue
		}
		file := s.place(p)
		if p.own != "" {
			instead[file] = filepath.Join(s.own, p.own)
		} else {
			instead[file] = ""
		}
		if p.sha256 == "" {
			continue
		}
		original, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		changed, err := p.apply(original)
		if err != nil {
			return nil, err
		}
		if len(p.edits) > 0 {
			instead[file] = filepath.Join(s.out, fmt.Sprintf("%d-%s.txt", i, path.Base(p.file)))
			if err := site.WriteFile(instead[file], changed); err != nil {
				return nil, err
			}
		}
	}
	return instead, nil
}
