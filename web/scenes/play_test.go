//go:build !js

package scenes_test

import (
	"flag"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
	"github.com/tabernetes/tabernetes/web/scenes"
)

// only plays one scene: go test ./web/scenes -only gone
var only = flag.String("only", "", "play this `scene` alone")

// read parses the scenes among files.
func read(t *testing.T, files fs.FS) []*format.Scene {
	t.Helper()
	all, err := format.Scenes(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("there are no scenes")
	}
	return all
}

// TestPlay plays all scenes: no step passes before its requests are made, then its check finds what its sentence says.
func TestPlay(t *testing.T) {
	for _, s := range read(t, scenes.Files) {
		if s.Programs { // they are played where those are: wasm/controllers, and playwright/controlplane
			continue
		}
		if *only == "" || *only == s.ID {
			t.Run(s.ID, func(t *testing.T) { playScene(t, s) })
		}
	}
}

// TestExamples plays the scene that README.md shows, and the one that make scene starts with.
func TestExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(readme), "````markdown\n")
	example, _, _ = strings.Cut(example, "````\n")
	template, err := os.ReadFile("new/template.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range read(t, fstest.MapFS{
		"01-readme.md":   {Data: []byte(example)},
		"02-template.md": {Data: []byte(strings.ReplaceAll(string(template), "{{$slug}}", "template"))},
	}) {
		t.Run(s.ID, func(t *testing.T) { playScene(t, s) })
	}
}

// most is how long a sentence may be: what a projector of 1280 by 720 has room for.
const most = 96

func playScene(t *testing.T, s *format.Scene) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := play.Cluster(1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		synctest.Wait() // for what the controllers make in a new cluster
		p := play.New(t.Context(), c, s.Lesson)
		p.AfterRequest(synctest.Wait)
		t.Cleanup(p.Close)
		if err := p.Begin(); err != nil {
			t.Fatal(err)
		}
		for i := range s.Steps {
			if passed, err := p.Try(i, nil); passed || err != nil {
				t.Fatalf("step %d passes by itself: %v", i+1, err)
			}
			if err := p.Solve(i); err != nil {
				t.Fatal(err)
			}
			said, err := p.Session.Fill(s.Sentence(i), func(request int) string { return "w" + strconv.Itoa(request) })
			if err != nil || strings.Contains(said, "{{") || len([]rune(said)) > most {
				t.Errorf("step %d says %q, %v; %d characters", i+1, said, err, len(said))
			}
			t.Log(said)
		}
	})
}
