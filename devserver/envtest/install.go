// Package envtest is a drop-in for the two programs that controller-runtime's envtest starts, and others after it: an
// etcd and a kube-apiserver, which are one file, this program, under two names.
//
// Install puts them where test frameworks look for them; Program is what the file does under each name. What they are
// started with, and how they end, is that of the real ones: packages apiserver and etcd.
//
// Invariants: what is in a directory already and was not put there by Install stays. The programs need nothing but
// themselves and the file of settings beside them.
//
// An installation copies one file of some 60 MB, once.
package envtest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/envtest/internal/apiserver"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/etcd"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/program"
)

// kubectlName is the third file that test frameworks look for.
const kubectlName = "kubectl"

// Settings say how the two programs behave.
type Settings = program.Settings

// DefaultLatency is the usual value of Settings.Latency.
const DefaultLatency = program.DefaultLatency

// Options say where the pair is to be, and how it behaves.
type Options struct {
	// Dir is the directory. With Store it is the one that has setup-envtest's store; empty then: its own.
	Dir   string
	Store bool
	// Settings are those of the programs.
	Settings Settings
	// Out is where the line for the shell goes, and Notes what people read.
	Out, Notes io.Writer
	// Source is the file of the programs; empty: that of this process.
	Source string
	// Kubectl is the file of kubectl; empty: the one that the machine has.
	Kubectl string
}

// Install installs the pair.
func Install(o Options) error {
	dir, err := o.dir()
	if err != nil {
		return err
	}
	if o.Source == "" {
		if o.Source, err = os.Executable(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // everybody may start them
		return fmt.Errorf("--dir: %w", err)
	}
	if err := own(dir); err != nil {
		return err
	}
	if err := o.Settings.Write(dir); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	server := filepath.Join(dir, fileName(apiserver.Name))
	if err := copyFile(server, o.Source); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	if err := link(filepath.Join(dir, fileName(etcd.Name)), server); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	if err := o.kubectl(dir, server); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	fmt.Fprintf(o.Notes, "etcd and kube-apiserver %s are in %s, with a latency of %s\n", program.Version, dir,
		o.Settings.Latency)
	fmt.Fprintln(o.Out, exportLine(dir))
	return nil
}

// exportLine is what makes a shell's test frameworks take the directory.
func exportLine(dir string) string {
	return "export KUBEBUILDER_ASSETS='" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
}

// dir returns the directory, absolute.
func (o *Options) dir() (string, error) {
	dir := o.Dir
	if o.Store {
		if dir == "" {
			var err error
			if dir, err = storeDir(runtime.GOOS, os.Getenv); err != nil {
				return "", err
			}
		}
		dir = filepath.Join(dir, "k8s", strings.TrimPrefix(program.Version, "v")+"-"+runtime.GOOS+"-"+runtime.GOARCH)
	}
	if dir == "" {
		return "", errors.New("--dir D is missing: where to put etcd and kube-apiserver")
	}
	return filepath.Abs(dir)
}

// storeDir returns the directory of setup-envtest.
func storeDir(system string, getenv func(string) string) (string, error) {
	switch system {
	case "darwin":
		if home := getenv("HOME"); home != "" {
			return filepath.Join(home, "Library", "Application Support", "io.kubebuilder.envtest"), nil
		}
	case "windows":
		if local := getenv("LocalAppData"); local != "" {
			return filepath.Join(local, "kubebuilder-envtest"), nil
		}
	default:
		data := getenv("XDG_DATA_HOME")
		if home := getenv("HOME"); data == "" && home != "" {
			data = filepath.Join(home, ".local", "share")
		}
		if data != "" {
			return filepath.Join(data, "kubebuilder-envtest"), nil
		}
	}
	return "", errors.New("--store: no folder of the user is known: name one with --dir")
}

// own refuses a directory that has programs of somebody else.
func own(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, program.SettingsFile)); err == nil {
		return nil
	}
	for _, name := range []string{apiserver.Name, etcd.Name, kubectlName} {
		name = filepath.Join(dir, fileName(name))
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--dir: %s is there already, and is not of Tabernetes: remove it, or name another directory", name)
		}
	}
	return nil
}

func fileName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// copyFile puts a copy of a program in the place of another, which may run.
func copyFile(name, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(out.Name()) // it is of no use to anyone
		}
	}()
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Chmod(0o755)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), name)
}

// link gives a file a second name, or copies it where that cannot be.
func link(name, to string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if os.Link(to, name) == nil {
		return nil
	}
	return copyFile(name, to)
}

// kubectl puts the machine's kubectl into the directory, or else a program that says that it is missing.
func (o *Options) kubectl(dir, server string) error {
	name := filepath.Join(dir, fileName(kubectlName))
	found, err := o.Kubectl, error(nil)
	if found == "" {
		found, err = exec.LookPath(kubectlName)
	}
	if err == nil {
		found, err = filepath.EvalSymlinks(found)
	}
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil || filepath.Dir(found) == dir {
		fmt.Fprintln(o.Notes, "There is no kubectl on this machine: the file of that name says so to those who start it.")
		return link(name, server)
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if os.Symlink(found, name) == nil {
		return nil
	}
	return copyFile(name, found)
}

// Program returns what this program does if it was started under a name of the pair; nil if it was not. It takes the
// arguments, and returns the exit status.
func Program(path string) func(args []string) int {
	switch program.NameOf(path) {
	case apiserver.Name:
		return apiserver.Program().Main
	case etcd.Name:
		return etcd.Program().Main
	case kubectlName:
		return func([]string) int {
			own, _ := os.Executable() // whose name is only said
			fmt.Fprintf(os.Stderr, "kubectl: there was no kubectl on this machine when %s was made. Install it "+
				"(https://kubernetes.io/docs/tasks/tools/) and run \"devserver envtest\" again\n",
				cmp.Or(filepath.Dir(own), "this directory"))
			return 1
		}
	}
	return nil
}
