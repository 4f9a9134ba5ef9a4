package kubectl

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

// TestDates wants what a server says can be kept to be asked for once, though its answers have no date.
func TestDates(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header()["Date"] = nil
		w.Header().Set("Cache-Control", "public, max-age=1000")
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	for range 2 {
		config := &rest.Config{Host: server.URL, Transport: transport{&http.Transport{}}}
		d, err := disk.NewCachedDiscoveryClientForConfig(config, "", t.TempDir(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := d.RESTClient().Get().AbsPath("/x").Do(t.Context()).Error(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if asked != 2 { // once for each directory
		t.Errorf("asked %d times", asked)
	}
}

// TestNamespaceIsKept wants the line by which people keep a namespace to work where there is no kubeconfig.
func TestNamespaceIsKept(t *testing.T) {
	file := clientcmd.RecommendedHomeFile
	clientcmd.RecommendedHomeFile = filepath.Join(t.TempDir(), ".kube", "config")
	defer func() { clientcmd.RecommendedHomeFile = file }()
	util.BehaviorOnFatal(func(message string, _ int) { t.Error(message) })
	defer util.DefaultBehaviorOnFatal()
	run := func(line string) string {
		streams, _, out, _ := genericiooptions.NewTestIOStreams()
		args := strings.Fields(line)
		command := New(streams, append([]string{"kubectl"}, args...))
		preset(pathOf(command, args))
		command.SetArgs(args)
		if err := command.Execute(); err != nil {
			t.Error(err)
		}
		return out.String()
	}
	for _, c := range []struct{ line, want string }{
		{"config current-context", "tab\n"},
		{"config set-context --current --namespace=team", "Context \"tab\" modified.\n"},
		{"config view --minify -o jsonpath={..namespace}", "team"},
		{"config use-context tab", "Switched to context \"tab\".\n"},
	} {
		if got := run(c.line); got != c.want {
			t.Errorf("%s: %q, and not %q", c.line, got, c.want)
		}
	}
}

// TestHearing wants all that is written to be passed on, and its beginning to be kept.
func TestHearing(t *testing.T) {
	var out strings.Builder
	h := &hearing{Writer: &out}
	long := strings.Repeat("x", 40<<10)
	for range 2 {
		if n, err := io.WriteString(h, long); n != len(long) || err != nil {
			t.Fatal(n, err)
		}
	}
	if out.Len() != 2*len(long) || h.text.Len() != 64<<10 {
		t.Errorf("%d bytes went on, %d are kept", out.Len(), h.text.Len())
	}
}
