package controlplane

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/internal/access"
	"github.com/tabernetes/tabernetes/core/internal/chaos"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/history"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/settings"
)

// switched records whether controllers are on.
type switched struct{ on bool }

func (s *switched) Switch(on bool) { s.on = on }
func (s *switched) Replaced() bool { return false }

func newPlane(t *testing.T) *ControlPlane {
	t.Helper()
	adjustable := clock.NewAdjustable(clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)))
	store := mvcc.New(adjustable.Now)
	r := &registry.Registry{
		Store: store, Table: schema.Builtin(), Clock: adjustable, Rand: rand.NewChaCha8([32]byte{1}),
		Replicas: registry.NewReplicas(store, adjustable, schema.Builtin()),
	}
	keeper := &history.Keeper{Store: store, Clock: adjustable, Quota: 1 << 20}
	return New(Parts{
		Registry: r, Clock: adjustable, History: keeper, Controllers: &switched{},
		Access: access.New(t.Context(), nil, nil),
		Chaos:  chaos.New(r, adjustable, keeper.Compact),
		Storage: &persist.Storage{Store: store, Quota: keeper.Quota, Found: func() (string, string) {
			return "", ""
		}},
		Header: &persist.Header{},
	}, func(s *Settings) {
		s.Controllers = true
		s.Access.Tokens = []access.Token{{Token: "t", User: "jane", UID: "7", Groups: []string{"g"}}}
	})
}

// TestRows checks that each setting has its own path and is read, and that those of a section
// are adjacent: otherwise an invalid section would be reported twice.
func TestRows(t *testing.T) {
	var seen, sections []string
	for i := range rows {
		row := &rows[i]
		if slices.Contains(seen, row.path) || row.parse == nil {
			t.Errorf("%s: it is there twice, or is not read", row.path)
		}
		seen = append(seen, row.path)
		section, _ := row.in()
		if last := len(sections) - 1; section != "" && (last < 0 || sections[last] != section) {
			if slices.Contains(sections, section) {
				t.Errorf("%s: its section is interrupted", row.path)
			}
			sections = append(sections, section)
		}
	}
}

// TestData checks that each setting of the data is obeyed as it says: its default, its bounds and its words.
func TestData(t *testing.T) {
	p := newPlane(t)
	spec := p.Object()["spec"].(map[string]any)
	for _, s := range settings.All {
		if is, _ := settings.At(spec, s.Path); s.Default != nil && !strings.Contains(s.Path, "[]") && is != s.Default {
			t.Errorf("%s is %v in a new cluster, want %v", s.Path, is, s.Default)
		}
		valid, invalid := map[any]bool{}, map[any]bool{}
		switch s.Kind {
		case settings.Seconds, settings.Number:
			valid[s.Least], valid[s.Most], invalid[s.Least-1], invalid[s.Most+1], invalid["1"] = true, true, true, true, true
		case settings.Switch:
			valid[true], valid[false], invalid["true"] = true, true, true
		case settings.Choice:
			invalid["another"], invalid[true] = true, true
		}
		for _, w := range s.Words {
			valid[w.Value] = true
		}
		for v := range valid {
			if errs := parsed(p, s.Path, v); len(errs) > 0 && s.Path != settings.Most.Path && s.Path != settings.Least.Path {
				t.Errorf("%s: %v is refused: %v", s.Path, v, errs)
			}
		}
		for v := range invalid {
			if errs := parsed(p, s.Path, v); len(errs) == 0 {
				t.Errorf("%s: %v is not refused", s.Path, v)
			}
		}
	}
}

// parsed returns what is wrong with an object that has one setting.
func parsed(p *ControlPlane, path string, v any) field.ErrorList {
	obj := map[string]any{}
	if list, name, in := strings.Cut(path, "[]."); in {
		path, v = list, []any{map[string]any{name: v}}
	}
	object.SetNested(obj, v, append([]string{"spec"}, strings.Split(path, ".")...)...)
	_, errs := p.Parse(obj)
	return errs
}

// TestObjectShowsDefaults reads the object of a new cluster, and one without settings.
func TestObjectShowsDefaults(t *testing.T) {
	p := newPlane(t)
	want, errs := p.Parse(map[string]any{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	obj := p.Object()
	got, errs := p.Parse(obj)
	got.Faults = nil // an empty list is the same as no list
	if want.Chaos.Seeded || len(errs) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v, want\n%+v", errs, got, want)
	}
	if got := object.GetMap(obj, "spec", "chaos"); got["seed"] != nil || len(got) != 3 {
		t.Errorf("chaos is %v", got)
	}
}

// TestSettingsAreInForce writes settings of every row with an apply function.
func TestSettingsAreInForce(t *testing.T) {
	p := newPlane(t)
	obj := p.Object()
	obj["spec"] = map[string]any{
		"history":       map[string]any{"retentionSeconds": int64(60)},
		"watch":         map[string]any{"bookmarkSeconds": int64(7)},
		"controllers":   map[string]any{"enabled": false},
		"clock":         map[string]any{"paused": true, "rate": int64(7)},
		"compatibility": map[string]any{"limit": "Ignore"},
		"faults":        []any{map[string]any{"status": int64(500)}},
		"chaos":         map[string]any{"enabled": true, "seed": int64(3)},
		"featureGates":  map[string]any{"CBORServingAndStorage": true, "ListFromCacheSnapshot": false},
		"cache": map[string]any{"replicas": []any{
			map[string]any{"lagSeconds": int64(4)}, map[string]any{"compatibility": map[string]any{"limit": "Honor"}},
		}},
		"authorization": map[string]any{"mode": "RBAC"},
	}
	obj["status"] = map[string]any{"chaos": map[string]any{"startTime": "2026-11-20T12:00:00Z"}}
	p.Observe("another", object.Encode(nil, obj, Resource.Type()), 1)
	if p.History.Retention() != 5*time.Minute {
		t.Fatal("an object of another type is read")
	}
	p.Observe(bucket, object.Encode(nil, obj, Resource.Type()), 1)
	reads := p.Registry.Settings()
	for what, holds := range map[string]bool{
		"retention":     p.History.Retention() == time.Minute,
		"bookmarks":     reads.BookmarkInterval == 7*time.Second,
		"controllers":   !p.Controllers.(*switched).on,
		"clock":         p.Clock.State().Paused && p.Clock.State().Rate == 7,
		"compatibility": reads.Compatibility[0].IgnoreLimit && !reads.Compatibility[1].IgnoreLimit,
		"faults":        len(p.Faults().Applied()) == 1,
		"chaos":         p.Chaos.Report() != nil && p.Chaos.Report().Seed == 3,
		"CBOR":          p.CBOR(),
		"gates":         !reads.Gates.Enabled(gates.ListFromCacheSnapshot) && reads.Gates.Enabled(gates.WatchList),
		"caches":        p.Registry.Replicas.Len() == 2 && p.Registry.Replicas.Cache(0).Spec().Lag == 4*time.Second,
		"authorization": p.Access.UsesRBAC(),
	} {
		if !holds {
			t.Errorf("%s: it is not in force", what)
		}
	}
	before := p.Settings()
	object.SetNested(obj, int64(0), "spec", "history", "retentionSeconds")
	p.Observe(bucket, object.Encode(nil, obj, Resource.Type()), 2)
	p.Observe(bucket, nil, 3)
	if p.Settings() != before {
		t.Error("settings that are wrong, or gone, are in force")
	}
}

// TestActs compares discovery with what the server answers.
func TestActs(t *testing.T) {
	answered := newPlane(t).Acts()
	told := 0
	for _, sub := range Resource.Subresources {
		for _, verb := range sub.Verbs {
			told++
			act, ok := answered[apiserver.Subresource{Group: group, Resource: Resource.Plural, Name: sub.Name, Verb: verb}]
			if !ok || act.Serve == nil {
				t.Errorf("%s %s is not answered", verb, sub.Name)
			}
		}
	}
	if told != len(answered) || told != len(acts) {
		t.Errorf("%d are told of, %d answered", told, len(answered))
	}
}
