package histories

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/wasm/controllers/nodes"
)

// What the real server is and where its programs are, to make the recordings.
var (
	realURL = flag.String("real", "",
		"write the recordings: the URL of a new kube-apiserver, whose certificate is not checked")
	token    = flag.String("token", "", "the bearer token of an administrator there")
	binaries = flag.String("bin", "", "the directory of kube-controller-manager and kube-scheduler")
	more     = flag.Bool("more", false, "add to what the recordings know, instead of beginning again")
	runs     = flag.Int("runs", 4, "how often each history happens there")
)

// TestRecord writes the recordings: the histories happen at a real server, with the real programs, several times.
func TestRecord(t *testing.T) {
	if *realURL == "" {
		t.Skip("needs a real server: -real, -token and -bin")
	}
	at, err := url.Parse(*realURL)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{lives: map[string]*life{}}
	one := newRecorder(direct{at, *token, &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: 200,
	}}, r.saw)
	r.serve(t, one)
	certificate, err := filepath.Abs("testdata/ca.crt")
	if err != nil {
		t.Fatal(err)
	}
	begin(t, "kube-controller-manager", filepath.Join(*binaries, "kube-controller-manager"), "--master="+r.url,
		"--root-ca-file="+certificate, "--secure-port=0", "--leader-elect=false")
	begin(t, "kube-scheduler", filepath.Join(*binaries, "kube-scheduler"), "--master="+r.url, "--secure-port=0",
		"--leader-elect=false")
	kubelets, err := nodes.New(nodes.Options{Config: &rest.Config{Host: r.url, QPS: -1}, Nodes: make([]nodes.Node, 1)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- kubelets.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}()
	all := map[string][]record{}
	for n := range *runs {
		within, end := context.WithTimeout(ctx, most)
		ending := fmt.Sprintf("-%d-%d", os.Getpid(), n)
		for name, got := range r.liveAll(within, t, ending, len(histories)) {
			all[name] = append(all[name], got)
			if name != "delete-namespace" { // the node has not room for the Pods of many runs
				err := r.ask(within, "DELETE", "/api/v1/namespaces/history-"+name+ending, "")
				if err != nil {
					t.Error(err)
				}
			}
		}
		end()
	}
	for name, got := range all {
		file, known := filepath.Join("testdata", name+".txt"), learn(got)
		if text, err := os.ReadFile(file); err == nil && *more {
			old, err := parseSpecs(string(text))
			if err != nil {
				t.Fatal(err)
			}
			known = merge(old, known)
		}
		if err := os.WriteFile(file, []byte(known.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// serve has programs and people reach a server by a proxy, whose transport notes what is written.
func (r *run) serve(t *testing.T, one *recorder) {
	t.Helper()
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Transport: one, FlushInterval: -1, Rewrite: func(*httputil.ProxyRequest) {},
	})
	t.Cleanup(proxy.Close) // after the programs
	r.url, r.client = proxy.URL, proxy.Client()
}

// begin runs a command until the test ends. What it prints is an artifact with that name.
func begin(t *testing.T, name, command string, args ...string) {
	t.Helper()
	c := exec.Command(command, args...)
	log, err := os.Create(filepath.Join(t.ArtifactDir(), name+".log"))
	if err == nil {
		c.Stdout, c.Stderr = log, log
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // killed
		log.Close()
	})
}

// direct makes requests those of an administrator at a server.
type direct struct {
	at    *url.URL
	token string
	next  http.RoundTripper
}

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host, r.RequestURI = d.at.Scheme, d.at.Host, d.at.Host, ""
	r.Header.Set("Authorization", "Bearer "+d.token)
	r.Header.Del("Accept-Encoding")
	return d.next.RoundTrip(r)
}
