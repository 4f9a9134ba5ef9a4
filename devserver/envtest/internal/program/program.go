// Package program has what the two programs of the pair have in common: their settings, how they end, and what they
// leave behind.
//
// Invariants: a program ends by a signal, or when the process that has started it is gone, however that ended; then it
// removes the directories that the test framework would have removed. It says on stderr why it ends with an error.
//
// Watching the parent costs one system call each interval.
package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/devserver/envtest/internal/flags"
)

// Version is the version of Kubernetes that the API server is, and EtcdVersion that of etcd which comes with it.
const (
	Version     = "v1.36.3"
	EtcdVersion = "3.6.8"
)

// SettingsFile is the name of the file of settings, which lies beside the programs.
const SettingsFile = "tabernetes-envtest.json"

// Settings are those that the real programs do not have. The environment goes before the file.
type Settings struct {
	// Latency is how long a request takes, about: TABERNETES_ENVTEST_LATENCY, a time such as 2ms. 0: as fast as it goes.
	Latency time.Duration
	// Seed varies it from request to request: TABERNETES_ENVTEST_SEED. 0: it does not vary.
	Seed uint64
	// Controllers runs the controllers that envtest does not have: TABERNETES_ENVTEST_CONTROLLERS.
	Controllers bool
	// Outlive lets the programs continue without the process that has started them: TABERNETES_ENVTEST_OUTLIVE.
	Outlive bool
}

// DefaultLatency is about what a small request takes with the real pair.
const DefaultLatency = 2 * time.Millisecond

// file is how settings are kept.
type file struct {
	Latency     string `json:"latency,omitempty"`
	Seed        uint64 `json:"seed,omitempty"`
	Controllers bool   `json:"controllers,omitempty"`
	Outlive     bool   `json:"outlive,omitempty"`
}

// Write writes the settings into a directory.
func (s Settings) Write(dir string) error {
	text, err := json.MarshalIndent(file{s.Latency.String(), s.Seed, s.Controllers, s.Outlive}, "", "  ")
	if err != nil {
		return err
	}
	//nolint:gosec // everybody may read it
	return os.WriteFile(filepath.Join(dir, SettingsFile), append(text, '\n'), 0o644)
}

// ReadSettings reads the settings of the programs in a directory, which may have none, and of the environment.
func ReadSettings(dir string, getenv func(string) string) (Settings, error) {
	s := Settings{Latency: DefaultLatency}
	name := filepath.Join(dir, SettingsFile)
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, err
	default:
		f := file{Latency: s.Latency.String()}
		if err := json.Unmarshal(text, &f); err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		if s.Latency, err = parseLatency(f.Latency); err != nil {
			return s, fmt.Errorf("%s: latency: %w", name, err)
		}
		s.Seed, s.Controllers, s.Outlive = f.Seed, f.Controllers, f.Outlive
	}
	for name, set := range map[string]func(string) error{
		"LATENCY":     func(v string) (err error) { s.Latency, err = parseLatency(v); return err },
		"SEED":        func(v string) (err error) { s.Seed, err = strconv.ParseUint(v, 10, 64); return err },
		"CONTROLLERS": func(v string) (err error) { s.Controllers, err = strconv.ParseBool(v); return err },
		"OUTLIVE":     func(v string) (err error) { s.Outlive, err = strconv.ParseBool(v); return err },
	} {
		name = "TABERNETES_ENVTEST_" + name
		if v := getenv(name); v != "" {
			if err := set(v); err != nil {
				return s, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return s, nil
}

func parseLatency(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil && (d < 0 || d > time.Minute) {
		err = fmt.Errorf("%s is not from 0 to 1m", text)
	}
	return d, err
}

// A Program is one of the pair.
type Program struct {
	// Name is how it is called, and Head what --help says before the flags.
	Name, Head string
	// Version is what --version prints.
	Version string
	Table   flags.Table
	// Run runs it until ctx is done.
	Run func(ctx context.Context, v *flags.Values, s Settings) error
	// Temporary are the flags that name directories of the test framework.
	Temporary []string
}

// Main runs a program with the arguments of the process, and returns its exit status.
func (p *Program) Main(args []string) int {
	fail := func(err error) int {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		return 1
	}
	values, err := p.Table.Parse(args)
	switch {
	case errors.Is(err, flags.ErrHelp):
		fmt.Print(p.Table.Help(p.Head))
		return 0
	case errors.Is(err, flags.ErrVersion):
		fmt.Println(p.Version)
		return 0
	case err != nil:
		return fail(err)
	}
	for _, note := range values.Notes {
		fmt.Fprintf(os.Stderr, "%s: %s\n", p.Name, note)
	}
	own, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	settings, err := ReadSettings(filepath.Dir(own), os.Getenv)
	if err != nil {
		return fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	orphaned := make(chan struct{})
	if !settings.Outlive {
		alone, cancel := context.WithCancel(ctx)
		defer cancel()
		ctx = alone
		go func() {
			if awaitParent(ctx) {
				close(orphaned)
				cancel()
			}
		}()
	}
	err = p.Run(ctx, values, settings)
	select {
	case <-orphaned:
		fmt.Fprintf(os.Stderr, "%s: the process that has started it is gone\n", p.Name)
		for _, name := range p.Temporary {
			tidy(os.Stderr, values.Text(name, ""))
		}
	default:
	}
	if err != nil {
		return fail(err)
	}
	return 0
}

// framework are the names of the directories that the test framework makes for one start, and removes when it stops
// what it has started.
var framework = regexp.MustCompile(`^k8s_test_framework_[0-9]+$`)

// tidy removes a directory of the test framework, since nobody else is left who would.
func tidy(out io.Writer, dir string) {
	if dir == "" || !framework.MatchString(filepath.Base(filepath.Clean(dir))) {
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintf(out, "%s stays: %v\n", dir, err)
	}
}

// NameOf returns the name by which a program was called: that of its file, without folders and .exe.
func NameOf(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(strings.ToLower(name), ".exe")
}
