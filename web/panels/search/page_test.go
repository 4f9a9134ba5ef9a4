//go:build !js

package search

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/search/index"
)

// TestOpen wants each kind of entry to lead where it says.
func TestOpen(t *testing.T) { synctest.Test(t, testOpen) }

func testOpen(t *testing.T) {
	rule := semantics.Rows(semantics.List)[0].ID
	for _, c := range []struct {
		entry index.Entry
		want  []string
	}{
		{index.Entry{Href: "#lesson=lists"}, []string{"hash"}},
		{index.Entry{Href: "#here"}, []string{"hash", "hashAgain"}},
		{index.Entry{Press: "#b"}, []string{"closeLeft search", "click #b"}},
		{index.Entry{Press: "#b", At: "part"}, []string{"closeLeft search", "click #b", "focus part"}},
		{index.Entry{Key: "?"}, []string{"closeLeft search", "press ?"}},
		{index.Entry{Rule: rule}, []string{"closeLeft search", "open rules",
			`click [data-action="rules-verb"][value="list"]`, "reveal rule-list-0-now", "focus rule-list-0-now"}},
	} {
		p := start(app.New())
		c.entry.Title = "wanted"
		b, err := json.Marshal([]index.Entry{c.entry})
		if err != nil {
			t.Fatal(err)
		}
		if p.index, err = index.Parse(string(b)); err != nil {
			t.Fatal(err)
		}
		p.Page.Holds["hash"], p.Page.Holds["search-field"] = "#here", "wanted"
		p.Page.Uses["search"](app.Use{Event: "input"})
		if p.view.Active != 0 {
			t.Fatalf("%+v is not found", c.entry)
		}
		p.Page.Take()
		p.Page.Uses["search-open"](app.Use{Attributes: map[string]string{"data-i": "0"}})
		if got := p.Page.Take(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, not %q", c.entry, got, c.want)
		}
	}
}

// TestKeys wants the arrows to go around among what is found, and Enter to open it.
func TestKeys(t *testing.T) { synctest.Test(t, testKeys) }

func testKeys(t *testing.T) {
	p := start(app.New())
	b, err := json.Marshal([]index.Entry{{Title: "one thing", Href: "#1"}, {Title: "other thing", Href: "#2"}})
	if err != nil {
		t.Fatal(err)
	}
	if p.index, err = index.Parse(string(b)); err != nil {
		t.Fatal(err)
	}
	p.Page.Holds["search-field"] = "thing"
	p.search()
	for _, c := range []struct {
		key    string
		active int
	}{{"ArrowDown", 1}, {"ArrowDown", 0}, {"ArrowUp", 1}, {"ArrowUp", 0}} {
		p.Page.Uses["search"](app.Use{Event: "keydown", Pressed: app.Press{Key: c.key}})
		if p.view.Active != c.active || p.Page.Marks["search-field aria-activedescendant"] != optionID(c.active) {
			t.Errorf("after %s: %d", c.key, p.view.Active)
		}
	}
	p.Page.Uses["search"](app.Use{Event: "keydown", Pressed: app.Press{Key: "Enter"}})
	if calls := strings.Join(p.Page.Take(), "; "); !strings.HasSuffix(calls, "click #"+optionID(0)) {
		t.Error(calls)
	}
}
