package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
	"github.com/tabernetes/tabernetes/core/openapi"
)

// testTimeout is the time limit of a test: far more than it needs, also with the kubectl of a page.
const testTimeout = 20 * time.Minute

// kubectl is the program.
var kubectl string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "kubectl")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if kubectl = os.Getenv("TABERNETES_KUBECTL_PROGRAM"); kubectl != "" { // the page's
		return m.Run()
	}
	kubectl = filepath.Join(dir, "kubectl")
	// Built without the race detector, even if the tests have it: that takes a minute more to compile,
	// but each of the many commands runs seven times faster.
	build := exec.Command("go", "build", "-ldflags=-s -w -X k8s.io/component-base/version.gitVersion=v1.36.3", "-o",
		kubectl, "./cmd")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	return m.Run()
}

// session is a terminal session with a cluster.
type session struct {
	t   *testing.T
	dir string
	env []string
}

// newSession starts a cluster, with an empty directory.
func newSession(t *testing.T, options core.Options) *session {
	t.Helper()
	options.OpenAPIv2 = openapi.V2
	prefix := ""
	if len(options.Extensions) > 0 {
		prefix = "/rooms/0123456789"
	}
	url := fixture.Serve(t, options, func(cluster http.Handler) *httptest.Server {
		listener := httptest.NewUnstartedServer(http.StripPrefix(prefix, cluster))
		listener.Config.ErrorLog = log.New(t.Output(), "", 0)
		if options.Tokens == nil && options.Extensions == nil {
			listener.Start()
		} else {
			listener.StartTLS() // otherwise kubectl does not send its credentials
		}
		return listener
	})
	return sessionAt(t, url+prefix, "of-admin")
}

// sessionAt begins a session with a server, whose administrator has a token, with an empty directory.
func sessionAt(t *testing.T, url, token string) *session {
	t.Helper()
	s := &session{t: t, dir: t.TempDir()}
	s.write("config", fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"test",
		"clusters":[{"name":"test","cluster":{"server":%q,"insecure-skip-tls-verify":true}}],
		"users":[{"name":"test","user":{"token":%q}}],
		"contexts":[{"name":"test","context":{"cluster":"test","user":"test"}}]}`, url, token))
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TMPDIR=" + t.TempDir(),
		"KUBECONFIG=" + filepath.Join(s.dir, "config"), "KUBERC=off",
		"KUBE_EDITOR=sed -i s/one/two/", "KUBECTL_APPLYSET=true",
	}
	return s
}

func (s *session) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// command returns a command: kubectl, perhaps after environment variables.
func (s *session) command(ctx context.Context, args []string) (*exec.Cmd, error) {
	env := s.env
	for strings.Contains(args[0], "=") && len(args) > 1 {
		env, args = append(slices.Clip(env), args[0]), args[1:]
	}
	if args[0] != "kubectl" {
		return nil, errors.New("there is only kubectl")
	}
	c := exec.CommandContext(ctx, kubectl, args[1:]...)
	c.Dir, c.Env = s.dir, env
	return c, nil
}

// run runs a command and returns what it printed: output, errors, and the exit
// status if it is not 0.
func (s *session) run(ctx context.Context, args []string) string {
	var out, problems bytes.Buffer
	c, err := s.command(ctx, args)
	if err != nil {
		return err.Error() + "\n"
	}
	c.Stdout, c.Stderr = &out, &problems
	err = c.Run()
	text := tidy(out.String()) + tidy(problems.String())
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return text + fmt.Sprintf("[%d]\n", exit.ExitCode())
	} else if err != nil {
		return text + err.Error() + "\n"
	}
	return text
}

// tidy leaves out empty lines, and ends the last one.
func tidy(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
