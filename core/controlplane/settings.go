package controlplane

import (
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/faults"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// Settings are what the object's spec says.
type Settings struct {
	// Retention is how long revisions can be read after they were replaced.
	Retention time.Duration
	// Bookmarks is how often a quiet watch gets one, 0 for never.
	Bookmarks time.Duration
	// Controllers runs the built-in controllers.
	Controllers bool
	// Paused makes the cluster's time stand.
	Paused bool
	// Compatibility says what API servers ignore, and Servers for each of them what it is
	// with its own.
	Compatibility registry.Compatibility
	Servers       [registry.MaxReplicas]registry.Compatibility
	// Faults are what goes wrong with requests of certain clients.
	Faults []faults.Row
	Chaos  Chaos
	// CBOR is the feature gate CBORServingAndStorage.
	CBOR bool
	// Caches are the API servers, each with its watch cache.
	Caches []registry.CacheSpec
	// Access is who is let in, and what they may do.
	Access access.Settings
}

// A setting is one of the settings.
type setting struct {
	// path is where it is below spec: a section and a name, or a name alone. Rows of a
	// section stand together.
	path string
	// initial sets what it is where nothing else is said. Nil: its zero.
	initial func(*Settings)
	// parse reads it, from the part of the spec that it is in. What is not there stays.
	parse func(in section, name string, s *Settings)
	// show is how a new object has it. Nil: it has none.
	show func(*Settings) any
	// apply puts it in force, while the store's head is at rev. Nil: it is looked up when it
	// is needed, or another row sees to it.
	apply func(p *ControlPlane, s *Settings, rev int64)
}

// settings are all of them, in the order in which they are read and put in force. The caches
// come after chaos, which makes them late.
var settings = []setting{
	seconds("history.retentionSeconds", 1, 5*time.Minute, func(s *Settings) *time.Duration { return &s.Retention },
		func(p *ControlPlane, s *Settings, _ int64) { p.History.SetRetention(s.Retention) }),
	seconds("watch.bookmarkSeconds", 0, time.Minute, func(s *Settings) *time.Duration { return &s.Bookmarks },
		applyReads),
	boolean("controllers.enabled", func(s *Settings) *bool { return &s.Controllers },
		func(p *ControlPlane, s *Settings, _ int64) { p.Controllers.Switch(s.Controllers) }),
	boolean("clock.paused", func(s *Settings) *bool { return &s.Paused },
		func(p *ControlPlane, s *Settings, _ int64) { p.Clock.Pause(s.Paused) }),
	compatibilitySetting,
	faultsSetting,
	boolean("chaos.enabled", func(s *Settings) *bool { return &s.Chaos.Enabled }, nil),
	chaosSeedSetting,
	seconds("chaos.intervalSeconds", 1, 10*time.Second, func(s *Settings) *time.Duration { return &s.Chaos.Plan.Interval },
		nil),
	chaosActsSetting,
	cborSetting,
	cachesSetting,
	word("authorization.mode", func(s *Settings) *string { return &s.Access.Authorization },
		access.AlwaysAllow, access.RBAC),
	word("authentication.withoutCredentials", func(s *Settings) *string { return &s.Access.WithoutCredentials },
		access.Admin, access.Anonymous, access.Unauthorized),
	tokensSetting,
}

// in returns the section that a setting is in, empty for none, and its name there.
func (s *setting) in() (section, name string) {
	if section, name, ok := strings.Cut(s.path, "."); ok {
		return section, name
	}
	return "", s.path
}

// Parse reads the spec of an object. What it does not set is as the defaults are.
func (p *ControlPlane) Parse(obj map[string]any) (Settings, field.ErrorList) {
	s := p.defaults
	var errs field.ErrorList
	spec := section{tree: obj, errs: &errs}.child("spec")
	in, current := spec, ""
	for i := range settings {
		row := &settings[i]
		section, name := row.in()
		switch {
		case section == "":
			in = spec
		case section != current:
			in = spec.child(section)
		}
		current = section
		row.parse(in, name, &s)
	}
	s.Chaos.readStart(obj)
	return s, errs
}

// Object returns the object that a new cluster has.
func (p *ControlPlane) Object() map[string]any {
	obj := map[string]any{
		"apiVersion": Resource.APIVersion(), "kind": Resource.Kind,
		"metadata": map[string]any{"name": "default"},
	}
	s := p.Settings()
	for i := range settings {
		row := &settings[i]
		if row.show == nil {
			continue
		}
		path := append([]string{"spec"}, strings.Split(row.path, ".")...)
		object.SetNested(obj, row.show(s), path...)
	}
	return obj
}

// maxSeconds bounds durations: a day.
const maxSeconds = 24 * 60 * 60

// seconds returns the row of a duration.
func seconds(
	path string, least int64, initial time.Duration, at func(*Settings) *time.Duration,
	apply func(*ControlPlane, *Settings, int64),
) setting {
	return setting{
		path: path, apply: apply,
		initial: func(s *Settings) { *at(s) = initial },
		parse:   func(in section, name string, s *Settings) { in.seconds(name, least, maxSeconds, at(s)) },
		show:    func(s *Settings) any { return int64(*at(s) / time.Second) },
	}
}

// boolean returns the row of a switch that is off at first.
func boolean(path string, at func(*Settings) *bool, apply func(*ControlPlane, *Settings, int64)) setting {
	return setting{
		path: path, apply: apply,
		parse: func(in section, name string, s *Settings) { in.bool(name, at(s)) },
		show:  func(s *Settings) any { return *at(s) },
	}
}

// word returns the row of a choice, which is the first one at first.
func word(path string, at func(*Settings) *string, words ...string) setting {
	return setting{
		path:    path,
		initial: func(s *Settings) { *at(s) = words[0] },
		parse:   func(in section, name string, s *Settings) { in.word(name, at(s), words...) },
		show:    func(s *Settings) any { return *at(s) },
	}
}

// applyReads puts in force what reads and watches obey.
func applyReads(p *ControlPlane, s *Settings, _ int64) {
	p.Registry.SetSettings(registry.Settings{BookmarkInterval: s.Bookmarks, Compatibility: s.Servers})
}
