package controlplane

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/internal/access"
	"github.com/tabernetes/tabernetes/core/internal/faults"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/settings"
)

// Settings are the parsed spec of the object.
type Settings struct {
	// Retention is the interval of compactions.
	Retention time.Duration
	// Bookmarks is the interval of bookmarks in a quiet watch, 0 for none.
	Bookmarks time.Duration
	// Controllers runs the built-in controllers.
	Controllers bool
	// Paused pauses the cluster's clock, and Rate is how many seconds of it pass in one.
	Paused bool
	Rate   int64
	// Compatibility lists what API servers ignore, and Servers what each of them ignores.
	Compatibility registry.Compatibility
	Servers       [registry.MaxReplicas]registry.Compatibility
	// Faults are the faults for requests of certain clients.
	Faults []faults.Row
	Chaos  Chaos
	// Gates are the feature gates.
	Gates gates.Set
	// Capacity limits how many events the watch cache of a type holds, and Progress is the interval in
	// which etcd tells caches its head.
	Capacity horizon.Limits
	Progress time.Duration
	// Caches are the API servers, each with its watch cache.
	Caches []registry.CacheSpec
	// Access configures authentication and authorization.
	Access access.Settings
}

// A setting is a row of the table of settings.
type setting struct {
	// path is its path below spec: a section and a name, or a name alone.
	path string
	// initial sets its default. Nil: the zero value.
	initial func(*Settings)
	// parse reads it, from its section of the spec. Missing fields leave it as it is.
	parse func(in section, name string, s *Settings)
	// show returns its value in a new object. Nil: it is not shown.
	show func(*Settings) any
	// apply applies it, when the store's head is at rev. Nil: it is looked up when needed, or another
	// row applies it.
	apply func(p *ControlPlane, s *Settings, rev int64)
}

// rows are all settings, in the order in which they are read and applied. The caches come after
// chaos, which delays them.
var rows = []setting{
	seconds(settings.Retention, func(s *Settings) *time.Duration { return &s.Retention },
		func(p *ControlPlane, s *Settings, _ int64) { p.History.SetRetention(s.Retention) }),
	seconds(settings.Bookmarks, func(s *Settings) *time.Duration { return &s.Bookmarks }, applyReads),
	boolean(settings.Controllers, func(s *Settings) *bool { return &s.Controllers },
		func(p *ControlPlane, s *Settings, _ int64) { p.Controllers.Switch(s.Controllers) }),
	boolean(settings.Paused, func(s *Settings) *bool { return &s.Paused },
		func(p *ControlPlane, s *Settings, _ int64) { p.Clock.Pause(s.Paused) }),
	number(settings.Rate, func(s *Settings) *int64 { return &s.Rate },
		func(p *ControlPlane, s *Settings, _ int64) { p.Clock.Speed(s.Rate) }),
	compatibilitySetting,
	faultsSetting,
	boolean(settings.Chaos, func(s *Settings) *bool { return &s.Chaos.Enabled }, nil),
	chaosSeedSetting,
	seconds(settings.ChaosInterval, func(s *Settings) *time.Duration { return &s.Chaos.Plan.Interval }, nil),
	chaosActsSetting,
	gatesSetting,
	seconds(settings.Progress, func(s *Settings) *time.Duration { return &s.Progress }, nil),
	capacitySetting,
	cachesSetting,
	word(settings.Authorization, func(s *Settings) *string { return &s.Access.Authorization }),
	word(settings.WithoutCredentials, func(s *Settings) *string { return &s.Access.WithoutCredentials }),
	tokensSetting,
}

// in returns the section of a setting, empty for none, and its name there.
func (s *setting) in() (section, name string) {
	if section, name, ok := strings.Cut(s.path, "."); ok {
		return section, name
	}
	return "", s.path
}

// Parse reads the spec of an object. Missing settings have their defaults.
func (p *ControlPlane) Parse(obj map[string]any) (Settings, field.ErrorList) {
	s := p.defaults
	var errs field.ErrorList
	spec := section{tree: obj, errs: &errs}.child("spec")
	sections := map[string]section{"": spec}
	for i := range rows {
		row := &rows[i]
		in, name := row.in()
		if _, read := sections[in]; !read {
			sections[in] = spec.child(in)
		}
		row.parse(sections[in], name, &s)
	}
	s.Chaos.readStart(obj)
	return s, errs
}

// Unknown returns an error for each field of a spec that is no setting, of those that every cluster has. The server
// itself takes such fields, as the real one takes what it does not know, and they change nothing.
func Unknown(spec map[string]any) (errs field.ErrorList) {
	names := map[string][]string{}
	for i := range rows {
		in, name := rows[i].in()
		names[in] = append(names[in], name)
	}
	whole := section{spec, "spec", &errs}
	for _, in := range slices.Sorted(maps.Keys(names)) {
		if in != "" {
			whole.child(in).only(names[in]...)
			names[""] = append(names[""], in)
		}
	}
	whole.only(names[""]...)
	return errs
}

// Object returns the initial object of a new cluster.
func (p *ControlPlane) Object() map[string]any {
	obj := map[string]any{
		"apiVersion": Resource.APIVersion(), "kind": Resource.Kind,
		"metadata": map[string]any{"name": "default"},
	}
	s := p.Settings()
	for i := range rows {
		row := &rows[i]
		if row.show == nil {
			continue
		}
		path := append([]string{"spec"}, strings.Split(row.path, ".")...)
		object.SetNested(obj, row.show(s), path...)
	}
	return obj
}

// maxSeconds is the maximum of durations: a day.
const maxSeconds = 24 * 60 * 60

// seconds returns the row of a duration.
func seconds(
	row settings.Setting, at func(*Settings) *time.Duration, apply func(*ControlPlane, *Settings, int64),
) setting {
	return setting{
		path: row.Path, apply: apply,
		initial: func(s *Settings) { *at(s) = row.Duration() },
		parse:   func(in section, name string, s *Settings) { in.seconds(name, row.Least, row.Most, at(s)) },
		show:    func(s *Settings) any { return int64(*at(s) / time.Second) },
	}
}

// number returns the row of a number.
func number(row settings.Setting, at func(*Settings) *int64, apply func(*ControlPlane, *Settings, int64)) setting {
	return setting{
		path: row.Path, apply: apply,
		initial: func(s *Settings) { *at(s) = row.Default.(int64) },
		parse:   func(in section, name string, s *Settings) { in.number(name, row.Least, row.Most, at(s)) },
		show:    func(s *Settings) any { return *at(s) },
	}
}

// boolean returns the row of a switch.
func boolean(row settings.Setting, at func(*Settings) *bool, apply func(*ControlPlane, *Settings, int64)) setting {
	return setting{
		path: row.Path, apply: apply,
		initial: func(s *Settings) { *at(s) = row.Default.(bool) },
		parse:   func(in section, name string, s *Settings) { in.bool(name, at(s)) },
		show:    func(s *Settings) any { return *at(s) },
	}
}

// word returns the row of a choice.
func word(row settings.Setting, at func(*Settings) *string) setting {
	return setting{
		path:    row.Path,
		initial: func(s *Settings) { *at(s) = row.Default.(string) },
		parse:   func(in section, name string, s *Settings) { in.word(name, at(s), row.Choices()...) },
		show:    func(s *Settings) any { return *at(s) },
	}
}

// applyReads applies the settings of reads and watches.
func applyReads(p *ControlPlane, s *Settings, _ int64) {
	p.Registry.SetSettings(registry.Settings{
		BookmarkInterval: s.Bookmarks, Compatibility: s.Servers, Gates: s.Gates,
	})
}
