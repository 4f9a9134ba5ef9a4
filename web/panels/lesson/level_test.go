//go:build !js

package lesson

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/lesson/format"
)

func levelFile(t *testing.T) string { return lessonFile(t, "../../../lesson/format/testdata/level") }

// TestLevel opens a level, solves it by its solution, and comes back to it.
func TestLevel(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		src := levelFile(t)
		id := format.LevelID(src)
		if got := v.askLevels("open", src) + v.askLevels("picture", src); got != `null""` {
			t.Fatal(got)
		}
		v.settle()
		if v.open == nil || v.open.id() != id || v.sheet.shown.Entry != id {
			t.Fatalf("%q is open, of %+v; said: %q", v.sheet.hash, v.sheet.shown, v.said)
		}
		if sent := strings.Join(v.takeSent(), "\n"); !strings.Contains(sent, "POST /api/v1/namespaces/level/configmaps") ||
			!strings.Contains(sent, "purge") {
			t.Errorf("the start has made:\n%s", sent)
		}
		if v.where.ID != "" {
			t.Errorf("a class hears of %q, which it does not have", v.where.ID)
		}
		for _, b := range v.open.boxes {
			v.press(b.at)
		}
		if !v.open.session.Step(0).Passed {
			t.Fatalf("it is not solved: %+v", v.open.session.Step(0))
		}
		if drawn := v.askLevels("picture", src); !strings.Contains(drawn, "answers /api") {
			t.Errorf("the picture is %s", drawn)
		}
		if list := v.askLevels("list", ""); !strings.Contains(list, `"title":"Paint it blue"`) ||
			!strings.Contains(list, `"passed":true`) {
			t.Errorf("kept: %s", list)
		}

		back := v.again("")
		if back.open == nil || back.open.id() != id || !back.open.session.Step(0).Passed {
			t.Fatalf("after a reload another is open: %+v", back.open)
		}
		back.askLevels("drop", src)
		if got := back.askLevels("list", ""); got != "[]" || back.store.get("lesson/"+id) != "" {
			t.Errorf("it is not forgotten: %s", got)
		}
		gone := newVisit(t, &home{v.server, texts{}, v.clock}, "#"+id)
		if !slices.ContainsFunc(gone.said, func(s string) bool { return strings.Contains(s, "not kept in this browser") }) {
			t.Errorf("said: %q", gone.said)
		}
	})
}

// TestManyLevels keeps as many levels as it says, and removes none by itself.
func TestManyLevels(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		var all []string
		for i := range maxLevels {
			all = append(all, strings.Replace(levelFile(t), "Paint it", fmt.Sprint("Paint ", i), 1))
		}
		v.keepLevels(all)
		more := levelFile(t)
		for _, what := range []string{"open", "read"} {
			if got := v.askLevels(what, more); !strings.Contains(got, "30 levels are kept in this browser") {
				t.Errorf("%s: %s", what, got)
			}
		}
		if got := v.askLevels("open", all[7]); got != "null" {
			t.Errorf("one that is kept: %s", got)
		}
		v.settle()
		if kept := v.levels(); len(kept) != maxLevels || kept[0] != all[7] {
			t.Errorf("%d are kept", len(kept))
		}
		v.askLevels("drop", all[1])
		if got := v.askLevels("open", more); got != "null" || v.level(format.LevelID(all[1])) != "" {
			t.Error(got)
		}
		v.settle()
	})
}

// TestDroppedLevel forgets a level that is open: the next lesson deletes what it has made, and the level begins when
// its text is opened again.
func TestDroppedLevel(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		src := levelFile(t)
		id := format.LevelID(src)
		v.askLevels("open", src)
		v.settle()
		for _, b := range v.open.boxes {
			v.press(b.at)
		}
		before := v.leaf(id)
		v.askLevels("drop", src)
		if v.open != nil || v.docs[id] != nil || !before.removed || v.store.get("lesson/"+id) != "" {
			t.Errorf("it is still open: %+v", v.open)
		}
		v.takeSent()
		back := v.again("#lesson-one")
		back.restart()
		back.settle()
		if sent := strings.Join(back.takeSent(), "\n"); !strings.Contains(sent, "purge") {
			t.Errorf("its namespaces stay: %s\nsaid %q", sent, back.said)
		}
		rec := httptest.NewRecorder()
		v.server.ServeHTTP(rec, httptest.NewRequest("GET", "/api/v1/namespaces/level", nil))
		if rec.Code != http.StatusNotFound {
			t.Errorf("its namespace: %d", rec.Code)
		}
		back.askLevels("open", src)
		back.settle()
		if back.open.session.Passed() != 0 || back.open.session.Begun(0) {
			t.Error("what was done before counts")
		}
	})
}

// TestLevelLevers fails a level in which a lever was used that it does not allow, until it is set up again.
func TestLevelLevers(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		src := levelFile(t)
		bad := strings.Replace(src, "levers compact, restart", "levers restart", 1)
		rehearsed := strings.Replace(bad, "It is blue", "It is blue again", 1)
		for _, level := range []struct {
			src, query string
			passes     bool
		}{{bad, "", false}, {rehearsed, "?dryRun=All", true}, {src, "", true}} {
			v.askLevels("open", level.src)
			v.settle()
			for _, b := range v.open.boxes {
				v.console("POST", wellknown.ControlPlane+"/compact"+level.query, "{}")
				v.press(b.at)
			}
			st := v.open.session.Step(0)
			if st.Passed != level.passes || !level.passes && !strings.Contains(st.Miss, "does not allow") {
				t.Errorf("passes %v: %+v", level.passes, st)
			}
		}
	})
}

// TestReadLevel says what a level brings as the parser reads it, whatever the text looks like.
func TestReadLevel(t *testing.T) {
	src := strings.Replace(levelFile(t), "---\nnamespaces: level\n",
		"---\n# Harmless\nnamespaces: level-a\nnamespaces : level, level-b\n", 1)
	var got levelRead
	answer := (&lessonPanel{store: texts{}}).askLevels("read", src)
	if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Fault != nil {
		t.Fatal(err, got)
	}
	spec := `"replicas":[{},{}]`
	if got := new(lessonPanel).askLevels("levers", ""); got != `["advance","compact","disconnect","restart","settings"]` {
		t.Errorf("levers: %s", got)
	}
	if got.Title != "Paint it blue" || fmt.Sprint(got.Namespaces) != "[level level-b]" ||
		!strings.Contains(string(got.Settings), spec) || !strings.Contains(string(got.Settings), `"retentionSeconds":`) {
		t.Errorf("got %+v, settings %s", got, got.Settings)
	}
}

// TestLevelFaults says what is wrong with a level, and changes nothing.
func TestLevelFaults(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		for src, want := range map[string]string{
			"": `{"line":1,"text":"no title`, "# T": `"text":"no steps`, "```": `{"line":1,"text":"the block is not closed"}`,
			strings.Replace(levelFile(t), "POST", "PSOT", 1): `{"line":12,"text":"unknown method \"PSOT\""}`,
		} {
			for _, what := range []string{"read", "open"} {
				if got := v.askLevels(what, src); !strings.Contains(got, want) {
					t.Errorf("%s %q: %s", what, src, got)
				}
			}
		}
		if got := fmt.Sprint(v.askLevels("list", ""), v.sheet.hash); got != "[]" {
			t.Error(got)
		}
	})
}
