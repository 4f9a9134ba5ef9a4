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
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/site"
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
	began := time.Now()
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
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v to start", took)
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
	} {
		if err := run(t.Context(), c.args); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.args, err, c.want)
		}
	}
}

// TestUsageNamesEveryFlag keeps --help complete.
func TestUsageNamesEveryFlag(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(source), "func run(")
	code, _, _ = strings.Cut(code, "\n}\n")
	found := 0
	for line := range strings.Lines(code) {
		if !strings.Contains(line, "flags.") {
			continue
		}
		_, rest, ok := strings.Cut(line, `"`)
		name, _, _ := strings.Cut(rest, `"`)
		if ok && !strings.Contains(usage, "--"+name+" ") {
			t.Errorf("--help does not tell of --%s", name)
		}
		found++
	}
	if found < 10 {
		t.Fatalf("only %d flags were found in main.go", found)
	}
}

func TestPageHost(t *testing.T) {
	opened := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:4711",
		"localhost:0":    "localhost:4711",
		":8080":          "127.0.0.1:4711",
		"0.0.0.0:8080":   "127.0.0.1:4711",
		"[::1]:8080":     "[::1]:4711",
		"nonsense":       "127.0.0.1:4711",
	} {
		if got := pageHost(addr, opened); got != want {
			t.Errorf("pageHost(%q) = %q, want %q", addr, got, want)
		}
	}
}

func TestEffectOf(t *testing.T) {
	for path, want := range map[string]effect{
		"core/mvcc/store.go":            {site.Wasm | site.Page, true},
		"core/mvcc/store_test.go":       {},
		"core/schema/types.txt":         {site.Wasm | site.Page, true},
		"core/wellknown/wellknown.js":   {steps: site.Files | site.Scripts},
		"core/conformance/testdata/a/b": {},
		"wasm/main.go":                  {steps: site.Wasm | site.Page},
		"wasm/shrink/traces.go":         {server: true},
		"wasm/overlay/overlay.go":       {server: true},
		"wasm/overlay/http/http.go":     {steps: site.Wasm | site.Page},
		"wasm/host/worker.js":           {steps: site.Scripts},
		"web/ui/page.templ":             {steps: site.Templates | site.Wasm | site.Page},
		"web/page/main.js":              {steps: site.Scripts},
		"web/page/main.test.js":         {},
		"web/shim/tabernetes.d.ts":      {},
		"web/shim/banner.css":           {steps: site.Styles},
		"web/style/base.css":            {steps: site.Styles},
		"web/samples/guestbook.yaml":    {steps: site.Files | site.Wasm},
		"web/lessons/01-watch.md":       {steps: site.Page},
		"web/sw/sw.js":                  {steps: site.Files | site.Scripts},
		"devserver/shell/main.go":       {steps: site.Page},
		"devserver/front.go":            {server: true},
		"devserver/reload.js":           {server: true},
		"go.mod":                        {site.Wasm | site.Page, true},
		"package-lock.json":             {steps: site.Scripts},
		"README.md":                     {},
		"dist/app.js":                   {},
		"playwright/proxy.js":           {},
		"web/ui/.page.templ.swp":        {},
	} {
		if got := effectOf(path); got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

func TestParseBenchmark(t *testing.T) {
	for line, want := range map[string]measurement{
		"BenchmarkCreate-2   \t   93818\t     12345 ns/op\t    2048 B/op\t      31 allocs/op": {"Create", "12.3 µs",
			"2.0 KB in 31", ""},
		"BenchmarkPage/of_1,000,000 \t 10 \t 1500000 ns/op":   {"Page/of_1,000,000", "1.5 ms", "", ""},
		"BenchmarkFanOut-2 5 2000000000 ns/op 46000 events/s": {"FanOut", "2 s", "", "46000 events/s"},
		"BenchmarkTiny-2 1000 3.25 ns/op":                     {"Tiny", "3.25 ns", "", ""},
	} {
		if got, ok := parseBenchmark(line); !ok || got != want {
			t.Errorf("%q: %+v, %v; want %+v", line, got, ok, want)
		}
	}
	for _, line := range []string{"", "PASS", "goos: linux", "BenchmarkCreate", "ok  \tcore\t1.2s"} {
		if got, ok := parseBenchmark(line); ok {
			t.Errorf("%q was read as %+v", line, got)
		}
	}
}
