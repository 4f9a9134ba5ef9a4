package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/core/gates"
)

func TestMain(m *testing.M) {
	// The test binary is the devserver too, for the tests that start one.
	if os.Getenv("DEVSERVER_TEST_RUN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// start starts a devserver and returns it with the first line it prints.
func start(t *testing.T, args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "DEVSERVER_TEST_RUN=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // has ended, when all went well
		_ = cmd.Wait()
	})
	line := make([]byte, 256)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	first, _, _ := strings.Cut(string(line[:n]), "\n")
	return cmd, first
}

// TestServe starts the real program and stops it with a request still open.
func TestServe(t *testing.T) {
	cmd, line := start(t, "--addr", "127.0.0.1:0", "--api-only", "--controllers=false")
	url, ok := strings.CutPrefix(line, "listening on ")
	if !ok {
		t.Fatalf("the first line is %q", line)
	}
	r, err := http.Get(url + "/")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if r.StatusCode != http.StatusOK || !strings.Contains(string(body), `"/apis/apps/v1"`) {
		t.Errorf("GET /: %d %q", r.StatusCode, body)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestServeNeedsASite(t *testing.T) {
	err := serve(t.Context(), options{addr: "127.0.0.1:0", noBuild: true, dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "no site to serve") {
		t.Errorf("serving an empty directory: %v", err)
	}
}

func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = serve(context.Background(), options{addr: l.Addr().String(), apiOnly: true})
	if err == nil || !strings.Contains(err.Error(), "is taken") || !strings.Contains(err.Error(), "--addr") {
		t.Errorf("a taken port was reported as: %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want error
	}{
		{[]string{"--help"}, flag.ErrHelp},
		{[]string{"build", "--help"}, flag.ErrHelp},
		{[]string{"--no-such-flag"}, errUsage},
		{[]string{"serve"}, errUsage},
		{[]string{"--dev", "--api-only"}, errUsage},
		{[]string{"size", "--quick"}, errUsage},
		{[]string{"build", "there"}, errUsage},
		{[]string{"--feature-gates", "Evil=true"}, errUsage},
		{[]string{"--feature-gates", "RetryGenerateName=false"}, errUsage},
	} {
		if err := run(t.Context(), c.args); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.args, err, c.want)
		}
	}
}

// TestFeatureGates checks that the flag sets the gates of the server's own cluster.
func TestFeatureGates(t *testing.T) {
	o, err := readOptions(flag.NewFlagSet("", flag.ContinueOnError), []string{"--feature-gates=WatchList=false"})
	if err != nil {
		t.Fatal(err)
	}
	set := o.clusterOptions(t.Context()).FeatureGates
	if set.Enabled(gates.WatchList) || !set.Enabled(gates.ListFromCacheSnapshot) {
		t.Errorf("the cluster has %v", set.Settable())
	}
}

// declaredFlag is where the source declares a flag, and namedFlag has its name too.
var (
	declaredFlag = regexp.MustCompile(`flags\.(?:String|Bool|Int|Int64|Duration|Func)(?:Var)?\(`)
	namedFlag    = regexp.MustCompile(declaredFlag.String() + `(?:&[\w.]+, )?"([\w-]+)"`)
)

// TestUsageNamesEveryFlag keeps --help complete.
func TestUsageNamesEveryFlag(t *testing.T) {
	found := 0
	for _, file := range []string{"options.go", "commands.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		flags := namedFlag.FindAllSubmatch(source, -1)
		if declared := len(declaredFlag.FindAll(source, -1)); declared != len(flags) {
			t.Errorf("%s declares %d flags, of which %d were read", file, declared, len(flags))
		}
		for _, m := range flags {
			if !strings.Contains(usage, "--"+string(m[1])+" ") {
				t.Errorf("--help does not tell of --%s", m[1])
			}
		}
		found += len(flags)
	}
	if found < 40 {
		t.Fatalf("only %d flags were found", found)
	}
}
