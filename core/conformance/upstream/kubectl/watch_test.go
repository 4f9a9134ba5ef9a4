package kubectl

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

var widgetFile = fixture.Widgets("size", "integer") + `
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
`

// TestWatch watches objects that change, built-in ones and custom ones.
func TestWatch(t *testing.T) {
	configMap := func(name string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"},"data":{"x":"1"}}`
	}
	widget := func(name string) string {
		return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"` + name + `"},"spec":{"size":1}}`
	}
	for name, row := range map[string]struct {
		watch string
		file  func(name string) string
		// first is the initial output, then the output after each change: a gets a label, b is created, a
		// is deleted.
		first                    string
		labelled, added, deleted string
	}{
		"table": {
			"kubectl get configmaps -w", configMap,
			"NAME   DATA   AGE\na      1      …s\n", "a      1      …s\n", "b      1      …s\n", "a      1      …s\n",
		},
		"events": {
			"kubectl get configmaps -w --output-watch-events --show-labels", configMap,
			"EVENT      NAME   DATA   AGE   LABELS\nADDED      a      1      …s …<none>\n",
			"MODIFIED   a      1      …s …l=m\n", "ADDED      b      1      …s …<none>\n", "DELETED    a      1      …s …l=m\n",
		},
		"only": {
			"kubectl get configmaps --watch-only -v=6", configMap,
			"…\n…watch=true\" status=\"200 OK\" …\n", "NAME   DATA   AGE\na      1      …s\n", "b      1      …s\n",
			"a      1      …s\n",
		},
		"one": {
			"kubectl get configmap a -w -o name", configMap,
			"configmap/a\n", "configmap/a\n", "", "configmap/a\n",
		},
		"jsonpath": {
			"kubectl get configmaps -w -o jsonpath={.metadata.name}:{.metadata.labels.l}{\"\\n\"}", configMap,
			"a:\n", "a:m\n", "b:\n", "a:m\n",
		},
		"selector": {
			"kubectl get configmaps -w -l l -o name -v=6", configMap,
			"…\n…watch=true\" status=\"200 OK\" …\n", "…\nconfigmap/a\n", "", "…\nconfigmap/a\n",
		},
		"custom": {
			"kubectl get widgets -w --output-watch-events", widget,
			"EVENT      NAME   SIZE\nADDED      a      1\n", "MODIFIED   a      1\n", "ADDED      b      1\n",
			"DELETED    a      1\n",
		},
		"custom only": {
			"kubectl get widgets --watch-only -o name -v=6", widget,
			"…\n…watch=true\" status=\"200 OK\" …\n", "…\nwidget.example.com/a\n", "…\nwidget.example.com/b\n",
			"…\nwidget.example.com/a\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
			defer cancel()
			s := newSession(t, core.Options{})
			s.write("crd.yaml", widgetFile)
			s.write("a.json", row.file("a"))
			s.write("b.json", row.file("b"))
			s.run(ctx, strings.Fields("kubectl create -f crd.yaml"))
			s.run(ctx, strings.Fields("kubectl wait --for=condition=Established crd/widgets.example.com"))
			if printed := s.run(ctx, strings.Fields("kubectl create -f a.json")); !strings.HasSuffix(printed, " created\n") {
				t.Fatal(printed)
			}
			w := s.watch(ctx, strings.Fields(row.watch))
			defer w.end()
			w.shows(row.first)
			s.run(ctx, strings.Fields("kubectl label -f a.json l=m"))
			w.shows(row.labelled)
			s.run(ctx, strings.Fields("kubectl create -f b.json"))
			w.shows(row.added)
			s.run(ctx, strings.Fields("kubectl delete -f a.json"))
			w.shows(row.deleted)
		})
	}
}

// watch is a command that runs until it is ended.
type watch struct {
	t     *testing.T
	end   func()
	lines *bufio.Scanner
}

// watch starts a command. Its end must be called.
func (s *session) watch(ctx context.Context, args []string) *watch {
	s.t.Helper()
	c, err := s.command(ctx, args)
	if err != nil {
		s.t.Fatal(err)
	}
	printed, both, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	c.Stdout, c.Stderr = both, both
	err = c.Start()
	both.Close()
	if err != nil {
		s.t.Fatal(err)
	}
	w := &watch{t: s.t, lines: bufio.NewScanner(printed)}
	w.end = func() {
		if err := c.Process.Kill(); err != nil {
			s.t.Error(err)
		}
		_, _ = io.Copy(io.Discard, printed) // until it is gone
		_ = c.Wait()
		printed.Close()
	}
	return w
}

// shows reads the command's output until it is what is expected.
func (w *watch) shows(want string) {
	w.t.Helper()
	got := ""
	for !(step{prints: want}).matches(got) {
		if !w.lines.Scan() {
			w.t.Fatalf("shows:\n%swant:\n%s", got, want)
		}
		got += tidy(w.lines.Text())
	}
}
