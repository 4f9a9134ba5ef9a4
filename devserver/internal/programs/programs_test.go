package programs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/devserver/internal/credentials"
)

// TestMain makes the test binary a program, for the tests that run one: it prints its arguments, and ends with its
// standard input, or at once with an error if its server is "http://fails".
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || !slices.Contains(os.Args, "--end-with-stdin") {
		os.Exit(m.Run())
	}
	name := strings.TrimPrefix(os.Args[2], "--kubeconfig=")
	config, err := os.ReadFile(name)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Join(os.Args[1:], " "))
	for line := range strings.Lines(string(config)) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key == "token" {
			fmt.Println("token", value)
		}
	}
	if slices.Contains(os.Args, "--listen=127.0.0.1:0") {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s %t", r.Host, r.URL, r.Header.Get("Authorization") == "Bearer "+os.Getenv("KUBELETS_TOKEN"))
		}))
		fmt.Println("listening on", server.Listener.Addr())
		fmt.Println("listening on 127.0.0.1:1")
	}
	if strings.Contains(string(config), "http://fails") {
		fmt.Println("it fails")
		os.Exit(3)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Println("stdin has ended")
}

// A printed collects what is printed, and says when a text is there.
type printed struct {
	mu    sync.Mutex
	text  bytes.Buffer
	wants map[string]chan struct{}
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.Write(b)
	for want, there := range p.wants {
		if strings.Contains(p.text.String(), want) {
			close(there)
			delete(p.wants, want)
		}
	}
	return len(b), nil
}

// await waits until a text has been printed.
func (p *printed) await(t *testing.T, want string) {
	t.Helper()
	there := make(chan struct{})
	p.mu.Lock()
	if strings.Contains(p.text.String(), want) {
		close(there)
	} else {
		if p.wants == nil {
			p.wants = map[string]chan struct{}{}
		}
		p.wants[want] = there
	}
	p.mu.Unlock()
	select {
	case <-there:
	case <-time.After(3 * time.Minute):
		p.mu.Lock()
		defer p.mu.Unlock()
		t.Fatalf("%q is not printed, but\n%s", want, &p.text)
	}
}

// TestRun wants all programs to get their own credentials, and to be asked to end.
func TestRun(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var log, problems printed
	ctx, end := context.WithCancel(t.Context())
	defer end()
	ended := make(chan error, 1)
	tokens := Tokens()
	go func() {
		ended <- Run(ctx, Options{
			Source: Source{file: own}, URL: "https://localhost:1", Authority: []byte("PEM"), Tokens: tokens, RBAC: true,
			Nodes: 3,
			Log:   &log, Problems: &problems,
		})
	}()
	for i, name := range names {
		log.await(t, name+": "+name+" --kubeconfig=")
		log.await(t, name+": token "+tokens[i].Token+"\n")
		if tokens[i].User != "system:"+name {
			t.Errorf("%s is %s", name, tokens[i].User)
		}
	}
	end()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		log.await(t, name+": stdin has ended\n")
	}
	if n := strings.Count(log.text.String(), "--nodes=3"); n != 1 {
		t.Errorf("%d programs have nodes", n)
	}
	if n := strings.Count(log.text.String(), "--use-service-account-credentials"); n != 1 {
		t.Errorf("%d programs use ServiceAccounts of controllers", n)
	}
	if problems.text.Len() > 0 {
		t.Errorf("problems: %s", &problems.text)
	}
}

// TestFails wants a program that ends by itself to be started again, and its last words to be printed.
func TestFails(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var problems printed
	ctx, end := context.WithCancel(t.Context())
	defer end()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{Source: Source{file: own}, URL: "http://fails", Nodes: 1, Problems: &problems})
	}()
	for _, name := range names {
		problems.await(t, name+": it fails\n"+name+" has ended: exit status 3; it is started again in 1s\n")
		problems.await(t, name+" has ended: exit status 3; it is started again in 2s\n")
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestKubelets wants requests to reach the program that stands in for kubelets while it runs, with its token.
func TestKubelets(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kubelets := NewKubelets()
	ask := func() (string, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://node-1:10250/containerLogs/a?follow=true",
			nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := kubelets.RoundTrip(r)
		if err != nil {
			return err.Error(), nil
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return string(text), err
	}
	refused := core.ErrNoKubelet.Error()
	expect := func(want string) {
		t.Helper()
		if text, err := ask(); text != want || err != nil {
			t.Errorf("%q, %v, want %q", text, err, want)
		}
	}
	expect(refused)
	kubelets.listens("192.0.2.1:80")
	expect(refused)
	var log printed
	ctx, end := context.WithCancel(t.Context())
	defer end()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{Source: Source{file: own}, URL: "http://localhost:1", Nodes: 1, Kubelets: kubelets,
			Log: &log, Problems: io.Discard})
	}()
	log.await(t, "kubelets: listening on 127.0.0.1:1\n")
	expect("node-1:10250 /containerLogs/a?follow=true true")
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	expect(refused)
	if strings.Contains(log.text.String(), kubelets.token) {
		t.Error("the token is printed")
	}
}

// TestTokens wants tokens that nobody can guess.
func TestTokens(t *testing.T) {
	var all []string
	for _, tokens := range []credentials.Tokens{Tokens(), Tokens()} {
		for _, token := range tokens {
			all = append(all, core.Token(token).Token)
		}
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != 2*len(names) || len(all[0]) < 20 {
		t.Errorf("%v", all)
	}
}

// TestFind wants the program beside the devserver to be taken, else the checkout's.
func TestFind(t *testing.T) {
	source, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	if source.root == "" || filepath.Dir(filepath.Dir(source.file)) != filepath.Join(source.root, ".cache") {
		t.Errorf("%+v", source)
	}
}

// TestFindBeside wants the program to be found by either name, and its absence to be said with the name in the release.
func TestFindBeside(t *testing.T) {
	if got := find(t.TempDir()); got != "" {
		t.Errorf("found in an empty folder: %s", got)
	}
	released := Released(runtime.GOOS, runtime.GOARCH)
	for _, name := range []string{executable(file, runtime.GOOS), released} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, file+"-sources"), 0o755); err != nil {
			t.Fatal(err)
		}
		want := filepath.Join(dir, name)
		if err := os.WriteFile(want, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		if got := find(dir); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	if text := ErrNone.Error(); !strings.Contains(text, released) || !strings.Contains(text, ModuleDir) {
		t.Error(text)
	}
	if name := Released("windows", "arm64"); name != "tabernetes-controllers-windows-arm64.exe" {
		t.Error(name)
	}
}
