//go:build !js

package lessons_test

import (
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/lesson/play"
	"github.com/tabernetes/tabernetes/web/tap"
)

// record has the commands of lessons run, to keep what is asked of the API.
var record = flag.Bool("record", false, "run the commands of lessons with this machine's bash and kubectl v1.36, "+
	"and keep their requests")

// kubectlFile has the requests that the commands of lessons make, by lesson and address.
const kubectlFile = "testdata/kubectl.json"

// TestKubectl does with kubectl what can be done with it: it makes the requests that kubectl v1.36.3 made when they
// were recorded, and each step passes by them.
func TestKubectl(t *testing.T) {
	kept := map[string][]lesson.Outgoing{}
	if *record {
		recordKubectl(t, kept)
	} else if text, err := os.ReadFile(kubectlFile); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	commands := 0
	for id, l := range load(t) {
		if !l.Kubectl() {
			continue
		}
		commands += len(commandsOf(l))
		t.Run(id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := begin(t, fresh(t, 1), l)
				withKubectl(t, p, func(at lesson.Address, _ string) {
					requests := kept[id+" "+at.String()]
					if len(requests) == 0 {
						t.Fatalf("%s: nothing is recorded for %s: run this test with -record", l.File, at)
					}
					for _, r := range requests {
						err := p.Do(t.Context(), r, "page", func(int, []tap.Field) {}, func(string) {})
						must(t, l, err)
						synctest.Wait()
					}
				})
			})
		})
	}
	if commands != len(kept) {
		t.Errorf("lessons have %d commands, and %s has %d: run this test with -record", commands, kubectlFile, len(kept))
	}
}

// withKubectl passes a lesson's steps: with commands where there are some, else with the lesson's own requests.
func withKubectl(t *testing.T, p *play.Player, run func(at lesson.Address, command string)) {
	t.Helper()
	l := p.Session.Lesson
	for i := range l.Steps {
		step := &l.Steps[i]
		if !slices.ContainsFunc(step.Blocks, func(b lesson.Block) bool { return b.Kubectl != "" }) {
			must(t, l, p.Solve(i))
			continue
		}
		for j := range step.Blocks {
			b := &step.Blocks[j]
			switch {
			case b.Kind != lesson.HTTP:
			case b.Kubectl != "":
				run(lesson.Address{Step: i, Block: j}, b.Kubectl)
			default:
				for k := range b.Requests {
					if _, err := p.Send(&b.Requests[k]); err != nil {
						t.Fatalf("%s:%d: %v", l.File, b.Line, err)
					}
				}
			}
		}
		if p.Passed() <= i && step.Free() { // the commands are not all that it asks for
			must(t, l, p.Solve(i))
		}
		if st := p.Session.Step(i); p.Passed() <= i {
			t.Errorf("%s: step %d does not pass with kubectl: %+v", l.File, i+1, st)
		}
	}
}

// commandsOf returns the addresses of the blocks of a lesson that have commands.
func commandsOf(l *lesson.Lesson) (all []lesson.Address) {
	for i := range l.Steps {
		for j, b := range l.Steps[i].Blocks {
			if b.Kubectl != "" {
				all = append(all, lesson.Address{Step: i, Block: j})
			}
		}
	}
	return all
}

// recordKubectl runs the commands of all lessons, and writes kubectlFile.
func recordKubectl(t *testing.T, kept map[string][]lesson.Outgoing) {
	t.Helper()
	for id, l := range load(t) {
		if !l.Kubectl() {
			continue
		}
		c, err := play.Cluster(1)
		if err != nil {
			t.Fatal(err)
		}
		p := play.New(t.Context(), c, l)
		var key string
		server := httptest.NewServer(relay(t, p, func(r lesson.Outgoing) { kept[key] = append(kept[key], r) }))
		home := t.TempDir()
		must(t, l, p.Begin())
		withKubectl(t, p, func(at lesson.Address, command string) {
			key = id + " " + at.String()
			shell := exec.CommandContext(t.Context(), "bash", "-c", command)
			shell.Env = append(os.Environ(), "HOME="+home, "KUBERNETES_MASTER="+server.URL, "KUBECONFIG=")
			out, err := shell.CombinedOutput()
			t.Logf("%s\n%s%v", command, out, err)
		})
		p.Close()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	}
	text, err := json.MarshalIndent(kept, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.FromSlash(kubectlFile), append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// relay returns a server that asks what it is asked as a page of the player would, and keeps it, but for discovery.
func relay(t *testing.T, p *play.Player, keep func(lesson.Outgoing)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		ask := lesson.Outgoing{Method: r.Method, Target: r.URL.RequestURI(), Body: string(body)}
		for _, name := range []string{"Accept", "Content-Type", "Impersonate-User"} {
			if v := r.Header.Get(name); v != "" {
				ask.Header = append(ask.Header, tap.Field{Name: name, Value: v})
			}
		}
		if !discovery(r.URL.Path) {
			keep(ask)
		}
		err = p.Do(r.Context(), ask, "page", func(status int, header []tap.Field) {
			for _, f := range header {
				w.Header().Add(f.Name, f.Value)
			}
			w.WriteHeader(status)
		}, func(text string) {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		})
		if err != nil && r.Context().Err() == nil {
			t.Error(err)
		}
	})
}

// discovery reports whether a path says what there is to ask for, and not what there is.
func discovery(path string) bool {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	return len(segments) < 3 || segments[0] == "apis" && len(segments) < 4 || segments[0] == "openapi"
}
