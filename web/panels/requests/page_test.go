//go:build !js

package requests

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/tap"
)

// lab returns the panel of a lab with so many requests.
func lab(requests int) *panel {
	p := start(app.New())
	began := time.Now()
	for id := 1; id <= requests; id++ {
		at := began.Add(time.Duration(id) * time.Millisecond)
		for _, e := range []tap.Event{
			{Type: tap.Request, ID: id, Time: at, Method: "GET", URL: "/api/v1/namespaces/n" + strconv.Itoa(id), Place: "tab",
				Origin: "console"},
			{Type: tap.Head, ID: id, Time: at, Status: 200}, {Type: tap.End, ID: id, Time: at},
		} {
			app.Emit(p.Bus, e)
		}
	}
	p.view.Update(0)
	return p
}

// TestKeys wants j and k to choose the next and the previous row, and to stop at the ends.
func TestKeys(t *testing.T) { synctest.Test(t, testKeys) }

func testKeys(t *testing.T) {
	p := lab(3)
	listed := []int{}
	for _, r := range p.view.Rows(0, p.view.Len()) {
		listed = append(listed, r.ID)
	}
	for _, c := range []struct {
		key string
		row int
	}{{"j", 0}, {"j", 1}, {"k", 0}, {"k", 0}, {"j", 1}, {"j", 2}, {"j", 2}} {
		if !p.Page.Press(app.Press{Key: c.key}) || p.selected != listed[c.row] {
			t.Errorf("after %s: %d, not %d", c.key, p.selected, listed[c.row])
		}
	}
}

// TestFilters wants what passes a filter, and its way back to all.
func TestFilters(t *testing.T) { synctest.Test(t, testFilters) }

func testFilters(t *testing.T) {
	p := lab(12)
	for _, c := range []struct {
		action string
		use    app.Use
		listed int
	}{
		{"history-search", app.Use{Holds: "n12"}, 1}, {"history-search", app.Use{Holds: "n1"}, 4},
		{"history-origin", app.Use{Holds: "lesson"}, 0}, {"history-all", app.Use{}, 12},
		{"history-kind", app.Use{Holds: string(history.Watches)}, 0},
	} {
		p.Page.Uses[c.action](c.use)
		if p.view.Update(0); len(p.view.Listed()) != c.listed {
			t.Errorf("%s: %d listed, not %d", c.action, len(p.view.Listed()), c.listed)
		}
	}
	app.Emit(p.Bus, app.State{Place: "room"})
	if f := p.view.Filter(); f.Place != "room" || p.selected != 0 {
		t.Errorf("in another cluster: %+v, %d is chosen", f, p.selected)
	}
}

// TestSort checks that a column's head sorts by the column, and used again, in the opposite order.
func TestSort(t *testing.T) { synctest.Test(t, testSort) }

func testSort(t *testing.T) {
	p := lab(2)
	by := app.Use{Attributes: map[string]string{"data-by": "status"}}
	p.Page.Uses["history-sort"](by)
	first := p.view.Order()
	p.Page.Uses["history-sort"](by)
	if second := p.view.Order(); second.Ascending == first.Ascending || second.Column() != first.Column() {
		t.Errorf("%+v, then %+v", first, second)
	}
	if p.Field("history-by").Value() != "status" {
		t.Errorf("the list of columns has %q", p.Field("history-by").Value())
	}
}

// TestActs wants the chosen request to be repeated, composed and copied, as long as it is kept.
func TestActs(t *testing.T) { synctest.Test(t, testActs) }

func testActs(t *testing.T) {
	p := lab(2)
	p.Page.Uses["history-pick"](app.Use{Attributes: map[string]string{"data-id": "2"}})
	var got []string
	app.On(p.Bus, func(e app.Compose) { got = append(got, "composed "+e.Path) })
	app.On(p.Bus, func(e app.Requesting) { got = append(got, "sent "+e.Path) })
	p.Page.Uses["history-open"](app.Use{})
	p.Page.Uses["history-resend"](app.Use{})
	want := []string{"composed /api/v1/namespaces/n2", "sent /api/v1/namespaces/n2"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	p.Page.Holds["origin"] = "http://127.0.0.1:9000"
	for _, c := range []struct{ as, target, offers, has string }{
		{"curl", "", "", devserverOrigin}, {"curl", "", "true", "127.0.0.1:9000"},
		{"curl", "devserver", "", "127.0.0.1:9000"},
		{"fetch", "", "", `fetch("/api/v1/namespaces/n2"`},
	} {
		app.Emit(p.Bus, app.State{})
		p.Page.Holds["target"], p.Page.Holds["place"] = c.target, "tab"
		p.SetTarget(c.target)
		p.choose(2)
		p.Page.Holds["offers target devserver"] = c.offers
		p.Page.Take()
		p.Page.Uses["history-copy"](app.Use{Attributes: map[string]string{"data-as": c.as}})
		if copied := p.Page.Take(); !strings.Contains(strings.Join(copied, "\n"), c.has) {
			t.Errorf("%s: no %s in %q", c.as, c.has, copied)
		}
	}
	p.Page.Uses["history-clear"](app.Use{})
	if p.Requests.In("tab") != 0 {
		t.Error("requests are still there")
	}
}
