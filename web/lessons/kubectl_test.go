//go:build !js

package lessons_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
	"github.com/tabernetes/tabernetes/web/scenes"
	"github.com/tabernetes/tabernetes/web/tap"
)

// record has the commands of lessons run, to keep what is asked of the API.
var record = flag.Bool("record", false, "run the commands of lessons with this machine's bash and kubectl v1.36, "+
	"and keep their requests")

// kubectlFile has the requests that the commands of lessons and scenes make.
const kubectlFile = "testdata/kubectl.json"

// recorded are requests by the commands that made them, by the ids of the lessons.
type recorded map[string]map[string][]format.Outgoing

// TestKubectl does with kubectl what can be done with it: it makes the requests that kubectl v1.36.3 made when they
// were recorded, and each step passes by them.
func TestKubectl(t *testing.T) {
	kept := recorded{}
	if *record {
		recordKubectl(t, kept)
	} else if text, err := os.ReadFile(kubectlFile); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	for id, l := range withKubectl(t) {
		t.Run(id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := begin(t, fresh(t, 1), l)
				used := map[string]bool{}
				p.Command(func(ctx context.Context, command string) error {
					requests := kept[id][command]
					if used[command] = true; requests == nil {
						return fmt.Errorf("nothing is recorded for %q: run this test with -record", command)
					}
					for _, r := range requests {
						err := p.Do(ctx, r, "page", func(int, []tap.Field) {}, func(string) {})
						if synctest.Wait(); err != nil {
							return err
						}
					}
					return nil
				})
				for i := range l.Steps {
					must(t, l, p.Solve(i))
				}
				if len(used) != len(kept[id]) {
					t.Errorf("%d commands, and %d are recorded: run this test with -record", len(used), len(kept[id]))
				}
			})
		})
	}
}

// withKubectl returns the lessons and scenes that can be done with kubectl, by their ids; those of scenes have scenes/
// before them.
func withKubectl(t *testing.T) map[string]*format.Lesson {
	t.Helper()
	all := load(t)
	shown, err := format.Scenes(scenes.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shown {
		all["scenes/"+s.ID] = s.Lesson
	}
	maps.DeleteFunc(all, func(_ string, l *format.Lesson) bool { return !l.Kubectl() })
	return all
}

// recordKubectl runs the commands of all lessons, and writes kubectlFile.
func recordKubectl(t *testing.T, kept recorded) {
	t.Helper()
	for id, l := range withKubectl(t) {
		kept[id] = map[string][]format.Outgoing{}
		c, err := play.Cluster(1)
		if err != nil {
			t.Fatal(err)
		}
		p := play.New(t.Context(), c, l)
		var now string
		server := httptest.NewServer(relay(t, p, func(r format.Outgoing) { kept[id][now] = append(kept[id][now], r) }))
		home := t.TempDir()
		p.Command(func(ctx context.Context, command string) error {
			now = command
			shell := exec.CommandContext(ctx, "bash", "-c", command)
			shell.Env = append(os.Environ(), "HOME="+home, "KUBERNETES_MASTER="+server.URL, "KUBECONFIG=")
			out, err := shell.CombinedOutput()
			t.Logf("%s\n%s%v", command, out, err)
			return nil // a refusal may be what the step shows
		})
		must(t, l, p.Begin())
		for i := range l.Steps {
			must(t, l, p.Solve(i))
		}
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
func relay(t *testing.T, p *play.Player, keep func(format.Outgoing)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		ask := format.Outgoing{Method: r.Method, Target: r.URL.RequestURI(), Body: string(body)}
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
