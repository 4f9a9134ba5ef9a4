// Package programs runs kube-controller-manager, kube-scheduler and what stands in for kubelets beside the server: the
// program of wasm/controllers, compiled for this machine.
//
// Each is a process, and a client of the server like any other. It holds its Lease in kube-system as long as it works,
// so that the server's own controllers rest meanwhile (core/internal/controller), and gives it back when it is stopped.
//
// Invariants:
//   - A process ends with the server, however that ends: its standard input is a pipe whose other end the server has.
//   - One that ends by itself is started again, after a second at first, and a minute at most.
//   - Credentials are in a file for its owner only, which is removed. After a kill it stays, and its tokens are void.
//     The token by which kubelets know this program is in their environment: no argument and no line that is printed
//     has it.
//
// Costs: processes of 70 to 90 MB each in a small cluster.
package programs

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/devserver/internal/credentials"
	"github.com/tabernetes/tabernetes/devserver/internal/nested"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// names are the programs, which are users too, with "system:" before them: the first two those of the real bootstrap
// roles. The last one makes the requests of all kubelets, so it is an administrator.
var names = []string{manager, "kube-scheduler", kubelets}

const (
	manager  = "kube-controller-manager"
	kubelets = "kubelets"
)

// file is the name of the program that is all of them.
const file = "tabernetes-controllers"

// ModuleDir is its module, in a checkout of the project.
const ModuleDir = "wasm/controllers"

const (
	// grace is how long a process may take to give back its Lease.
	grace = 5 * time.Second
	// firstWait is the time until a process that has ended is started again; it doubles each time, up to lastWait, and
	// counts from the beginning for one that has run for that long.
	firstWait = time.Second
	lastWait  = time.Minute
)

// ErrNone is the error of a server that has no programs.
var ErrNone = fmt.Errorf("kube-controller-manager and kube-scheduler are not here. They are one file of the release, "+
	"%s, and are found beside the devserver. A checkout of the project builds it: go -C %s build -o %s .",
	Released(runtime.GOOS, runtime.GOARCH), ModuleDir, executable(file, runtime.GOOS))

// Released returns the name of the program's file in a release, for a system.
func Released(system, arch string) string { return executable(file+"-"+system+"-"+arch, system) }

// executable returns the name of a program's file on a system.
func executable(name, system string) string {
	if system == "windows" {
		name += ".exe"
	}
	return name
}

// Tokens returns new tokens for the programs, to be known to a server that asks for some.
func Tokens() credentials.Tokens {
	var tokens credentials.Tokens
	for _, name := range names {
		t := core.Token{Token: rand.Text(), User: "system:" + name}
		if name == kubelets {
			t.Groups = []string{"system:masters"}
		}
		tokens = append(tokens, t)
	}
	return tokens
}

// A Source is where the programs come from.
type Source struct {
	file string // the program, or where it is built
	root string // the checkout that it is built from; empty: it is there already
}

// Find returns where the programs come from: a file beside this program, or the checkout of the project that is at
// hand; else ErrNone.
func Find() (Source, error) {
	own, err := os.Executable()
	if err != nil {
		return Source{}, err
	}
	if beside := find(filepath.Dir(own)); beside != "" {
		return Source{file: beside}, nil
	}
	root, err := site.Root()
	if err == nil {
		_, err = os.Stat(filepath.Join(root, filepath.FromSlash(ModuleDir), "go.mod"))
	}
	if err != nil {
		return Source{}, ErrNone
	}
	return Source{file: filepath.Join(root, ".cache", "bin", executable(file, runtime.GOOS)), root: root}, nil
}

// find returns the program's file in a folder, by its name or by that in a release; "": it is not there.
func find(dir string) string {
	for _, name := range []string{executable(file, runtime.GOOS), Released(runtime.GOOS, runtime.GOARCH)} {
		name = filepath.Join(dir, name)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// File is the program, which is there once it is ready.
func (s Source) File() string { return s.file }

// Ready builds the program if it has to be built: the first time takes minutes.
func (s Source) Ready(ctx context.Context) error {
	if s.root == "" {
		return nil
	}
	dir := filepath.Join(s.root, filepath.FromSlash(ModuleDir))
	version, err := nested.Version(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	_, err = site.Go(ctx, dir, []string{"GOWORK=off"}, "build", "-buildvcs=false",
		"-ldflags="+nested.VersionFlags(version), "-o", s.file, ".")
	return err
}

// Options say for which server the programs work.
type Options struct {
	Source
	// URL is the server's, and Authority, in PEM, who has signed its certificate; nil without TLS.
	URL       string
	Authority []byte
	// Tokens are those of the function of that name, and RBAC whether the server authorizes by it: then each controller
	// is a user too, its ServiceAccount. Without tokens they are who makes requests without credentials.
	Tokens credentials.Tokens
	RBAC   bool
	// Nodes is how many Nodes there are, each with what stands in for its kubelet: node-1 and so on. Without one that
	// program does not run.
	Nodes int
	// Kubelets reaches them; nil: nobody does.
	Kubelets *Kubelets
	// Log gets what the programs print, a line at a time after their name; it may be nil. Problems gets why one that has
	// ended did. Both are used by several goroutines.
	Log, Problems io.Writer
}

// Run runs the programs until the context ends, and returns when they have ended.
func Run(ctx context.Context, o Options) (err error) {
	dir, err := os.MkdirTemp("", "tabernetes-programs-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	for i, name := range names {
		if name == kubelets && o.Nodes == 0 {
			continue
		}
		var own credentials.Tokens
		if len(o.Tokens) > 0 {
			own = o.Tokens[i : i+1]
		}
		config := credentials.NewKubeconfig(o.URL, o.Authority, own)
		if len(own) > 0 {
			config.Token = own[0].Token
		}
		kubeconfig := filepath.Join(dir, name)
		if _, err := config.Save(kubeconfig); err != nil {
			return err
		}
		args := []string{name, "--kubeconfig=" + kubeconfig, "--leader-elect-identity=devserver", "--end-with-stdin"}
		p := process{file: o.file, log: &log{name: name, out: o.Log}, problems: o.Problems}
		switch {
		case name == manager && o.RBAC:
			args = append(args, "--use-service-account-credentials")
		case name == kubelets:
			args = append(args, fmt.Sprintf("--nodes=%d", o.Nodes))
			if o.Kubelets != nil {
				args, p.log.listens = append(args, "--listen=127.0.0.1:0"), o.Kubelets.listens
				p.env, p.ended = []string{tokenVariable + "=" + o.Kubelets.token}, o.Kubelets.ended
			}
		}
		p.args = args
		running.Go(func() { p.keep(ctx) })
	}
	running.Wait()
	return nil
}

// A process is one program, started as often as it takes.
type process struct {
	file     string
	args     []string
	env      []string // what its environment has besides this program's
	log      *log
	ended    func() // is called when it has ended; it may be nil
	problems io.Writer
}

// keep runs it until the context ends.
func (p process) keep(ctx context.Context) {
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		start := time.Now()
		err := p.run(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(start) > lastWait {
			wait = firstWait
		}
		fmt.Fprintf(p.problems, "%s%s has ended: %v; it is started again in %v\n", strings.Join(p.log.last, ""),
			p.log.name, err, wait)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// run runs it once. At the end of the context it is asked to end, and after some time made to.
func (p process) run(ctx context.Context) error {
	c := exec.CommandContext(ctx, p.file, p.args...)
	c.Stdout, c.Stderr, c.WaitDelay = p.log, p.log, grace
	if p.env != nil {
		c.Env = append(os.Environ(), p.env...)
	}
	end, err := c.StdinPipe()
	if err != nil {
		return err
	}
	c.Cancel = end.Close // by which it is asked on every system
	if p.ended != nil {
		defer p.ended()
	}
	return c.Run()
}

// lastLines is how many lines of a program are kept.
const lastLines = 10

// A log is what a program prints, by lines.
type log struct {
	name string
	out  io.Writer // gets all lines; nil: none
	last []string  // the last ones
	rest []byte    // of a line that has not ended
	// listens gets the address that the program says it listens on; it may be nil.
	listens func(addr string)
}

// Write implements io.Writer. Of a process, one goroutine calls it.
func (l *log) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, found := bytes.Cut(l.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		l.rest = rest
		if addr, ok := strings.CutPrefix(string(line), listeningOn); ok && l.listens != nil {
			l.listens(addr)
		}
		if l.last = append(l.last, l.name+": "+string(line)+"\n"); len(l.last) > lastLines {
			l.last = l.last[1:]
		}
		if l.out != nil {
			if _, err := io.WriteString(l.out, l.last[len(l.last)-1]); err != nil {
				return len(p), err
			}
		}
	}
}
