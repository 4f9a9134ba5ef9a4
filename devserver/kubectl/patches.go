package kubectl

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// A patch changes one file of what kubectl is built from.
type patch struct {
	// file is the file, by its import path.
	file string
	// sha256 is that of the original, in hex. With another original the build fails: somebody has to read it.
	sha256 string
	// own is a file of wasm/kubectl/patches that is read instead; "" and no old: there is no such file.
	own string
	// old occurs exactly once in the original, and becomes new.
	old, new string
	// trick is whether the patch only saves weight: it belongs to the Go version that go.mod pins, with whose tricks it
	// is left out, and to a package of the standard library.
	trick bool
	// reason says why.
	reason string
}

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
		old:    "syscall.SIGHUP, ",
		reason: "there is no SIGHUP for js",
	},
	{
		file:   "k8s.io/kubectl/pkg/cmd/plugin.go",
		sha256: "59968155fcb2f43a56ddb101802af7a2050fa7d60ead3854a1028f9a8c5b7c1b",
		old:    "return syscall.Exec(executablePath, append([]string{executablePath}, cmdArgs...), environment)",
		new:    "return syscall.ENOSYS",
		reason: "there are no processes, so no plugins, for js",
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
		file:   "text/template/exec.go",
		sha256: "ca14feb551ec536deeddfd46efdfa60d1c328e6d1b00cd5aa6ca944e379c282a",
		old:    "ptr.MethodByName(fieldName)",
		new:    "methodByName(ptr, fieldName)",
		trick:  true,
		reason: "the linker keeps every method of every type when one is looked up by any name",
	},
}

// additions are files that patched packages get, by their import paths, with their source in wasm/kubectl/patches. They
// belong to patches that are tricks.
var additions = map[string]string{"text/template/own.go": "methods.txt"}

// errChanged is the error of a patch whose original is not the one it was written for.
var errChanged = errors.New("it is not the file that the patch was written for: " +
	"read what has changed in it, and bring the row of devserver/kubectl/patches.go up to date")

// apply returns what a file becomes.
func (p patch) apply(original []byte) ([]byte, error) {
	sum := sha256.Sum256(original)
	if got := hex.EncodeToString(sum[:]); got != p.sha256 {
		return nil, fmt.Errorf("%s has the SHA-256 %s, and not %s: %w", p.file, got, p.sha256, errChanged)
	}
	if n := bytes.Count(original, []byte(p.old)); n != 1 {
		return nil, fmt.Errorf("%s has %q %d times, and not once: %w", p.file, p.old, n, errChanged)
	}
	return bytes.Replace(original, []byte(p.old), []byte(p.new), 1), nil
}

// check fails if the original is not the one that the patch was written for.
func (p patch) check(original []byte) error {
	p.old, p.new = string(original), ""
	_, err := p.apply(original)
	return err
}

// sources are the directories of what is patched.
type sources struct {
	vendor, standard string // of modules, and of the standard library
	own              string // wasm/kubectl/patches
	out              string // where changed files are written to
}

// place returns where a file is.
func (s sources) place(p patch) string {
	if p.trick {
		return filepath.Join(s.standard, filepath.FromSlash(p.file))
	}
	return filepath.Join(s.vendor, filepath.FromSlash(p.file))
}

// replacements writes the changed files, and returns for each patched file the one that is read instead, "" for none.
func (s sources) replacements(tricks bool) (map[string]string, error) {
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return nil, err
	}
	instead := map[string]string{}
	for _, p := range patches {
		if p.trick && !tricks {
			continue
		}
		file := s.place(p)
		original, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if p.old == "" {
			if instead[file] = ""; p.own != "" {
				instead[file] = filepath.Join(s.own, p.own)
			}
			err = p.check(original)
		} else {
			var changed []byte
			if changed, err = p.apply(original); err == nil {
				instead[file] = filepath.Join(s.out, path.Base(p.file)+".txt")
				err = os.WriteFile(instead[file], changed, 0o644)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if tricks {
		for file, own := range additions {
			instead[filepath.Join(s.standard, filepath.FromSlash(file))] = filepath.Join(s.own, own)
		}
	}
	return instead, nil
}
