package lesson

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Settings are those of the control plane that a lesson may depend on: a part
// of the spec of the object controlplanes/default.
type Settings struct {
	// Replicas are the API servers, each with its watch cache.
	Replicas []Replica
	// Retention is how long history is kept, Bookmarks how often a quiet watch
	// gets a bookmark; both in seconds.
	Retention, Bookmarks int64
	// Paused makes the cluster's time stand.
	Paused bool
	// Chaos makes things go wrong at random.
	Chaos bool
	// IgnoreMatch makes the servers ignore resourceVersionMatch.
	IgnoreMatch bool
}

// A Replica is how an API server's watch cache follows the store.
type Replica struct {
	// LagSeconds is how far it stays behind.
	LagSeconds int64 `json:"lagSeconds"`
	Frozen     bool  `json:"frozen"`
}

// A Requirement is a setting that a lesson starts with.
type Requirement struct {
	// Key is the word of the front matter: servers, lag, frozen, retention,
	// bookmarks, clock, chaos or match.
	Key string
	// Value is a number of servers or of seconds; of the words that a setting
	// may have, the index.
	Value int64
}

// controlPlane is how the settings are written in the ControlPlane.
type controlPlane struct {
	Spec controlPlaneSpec `json:"spec"`
}

type controlPlaneSpec struct {
	Cache         *cacheSpec         `json:"cache,omitempty"`
	History       *historySpec       `json:"history,omitempty"`
	Watch         *watchSpec         `json:"watch,omitempty"`
	Clock         *clockSpec         `json:"clock,omitempty"`
	Chaos         *chaosSpec         `json:"chaos,omitempty"`
	Compatibility *compatibilitySpec `json:"compatibility,omitempty"`
}

type (
	cacheSpec struct {
		Replicas []Replica `json:"replicas"`
	}
	historySpec struct {
		RetentionSeconds int64 `json:"retentionSeconds"`
	}
	watchSpec struct {
		BookmarkSeconds int64 `json:"bookmarkSeconds"`
	}
	clockSpec struct {
		Paused bool `json:"paused"`
	}
	chaosSpec struct {
		Enabled bool `json:"enabled"`
	}
	compatibilitySpec struct {
		ResourceVersionMatch string `json:"resourceVersionMatch"`
	}
)

// ErrSettings is the error of an object that is not a ControlPlane.
var ErrSettings = errors.New("lesson: not a ControlPlane")

// ParseSettings reads the settings from a ControlPlane as JSON. What the object
// does not say is as in a new cluster. Errors wrap ErrSettings.
func ParseSettings(object string) (Settings, error) {
	var cp controlPlane
	if err := json.Unmarshal([]byte(object), &cp); err != nil {
		return Settings{}, fmt.Errorf("%w: %w", ErrSettings, err)
	}
	s := Settings{Replicas: []Replica{{}}, Retention: 300, Bookmarks: 60}
	sp := cp.Spec
	if sp.Cache != nil && len(sp.Cache.Replicas) > 0 {
		s.Replicas = sp.Cache.Replicas
	}
	if sp.History != nil {
		s.Retention = sp.History.RetentionSeconds
	}
	if sp.Watch != nil {
		s.Bookmarks = sp.Watch.BookmarkSeconds
	}
	s.Paused = sp.Clock != nil && sp.Clock.Paused
	s.Chaos = sp.Chaos != nil && sp.Chaos.Enabled
	s.IgnoreMatch = sp.Compatibility != nil && sp.Compatibility.ResourceVersionMatch == matchWords[1]
	return s, nil
}

// Equal reports whether two Settings are the same.
func (s Settings) Equal(other Settings) bool {
	return slices.Equal(s.Replicas, other.Replicas) && s.Retention == other.Retention && s.Bookmarks == other.Bookmarks &&
		s.Paused == other.Paused && s.Chaos == other.Chaos && s.IgnoreMatch == other.IgnoreMatch
}

// With returns the settings with what a lesson requires in force.
func (s Settings) With(required []Requirement) Settings {
	s.Replicas = slices.Clone(s.Replicas)
	for _, k := range settingKinds { // in their order: there have to be as many servers before they are set
		for _, r := range required {
			if r.Key == k.key {
				k.set(&s, r.Value)
			}
		}
	}
	return s
}

// A settingKind is a setting that can be required: how its value is read from
// the front matter, and put in force.
type settingKind struct {
	key   string
	parse func(string) (int64, error)
	set   func(*Settings, int64)
}

var matchWords = []string{"Honor", "Ignore"}

// settingKinds are the settings that can be required, in the order in which
// they are put in force.
var settingKinds = []settingKind{
	{"servers", parseCount, func(s *Settings, n int64) { s.setServers(int(n)) }},
	{"lag", parseSpan(0, time.Hour), func(s *Settings, n int64) {
		for i := range s.Replicas {
			s.Replicas[i].LagSeconds = n
		}
	}},
	{"frozen", parseWord("false", "true"), func(s *Settings, n int64) {
		for i := range s.Replicas {
			s.Replicas[i].Frozen = n == 1
		}
	}},
	{"retention", parseSpan(time.Second, 24*time.Hour), func(s *Settings, n int64) { s.Retention = n }},
	{"bookmarks", parseSpan(time.Second, 24*time.Hour), func(s *Settings, n int64) { s.Bookmarks = n }},
	{"clock", parseWord("running", "paused"), func(s *Settings, n int64) { s.Paused = n == 1 }},
	{"chaos", parseWord("off", "on"), func(s *Settings, n int64) { s.Chaos = n == 1 }},
	{"match", parseWord("honoured", "ignored"), func(s *Settings, n int64) { s.IgnoreMatch = n == 1 }},
}

func (s *Settings) setServers(n int) {
	for len(s.Replicas) < n {
		s.Replicas = append(s.Replicas, Replica{})
	}
	s.Replicas = s.Replicas[:n]
}

// maxServers bounds the number of API servers that a lesson may require: a
// cluster has no more.
const maxServers = 3

func parseCount(s string) (int64, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxServers {
		return 0, fmt.Errorf("a number from 1 to %d is needed, not %q", maxServers, s)
	}
	return int64(n), nil
}

// parseSpan reads whole seconds in the syntax of Go: 0, 5m or 1h30m.
func parseSpan(least, most time.Duration) func(string) (int64, error) {
	return func(s string) (int64, error) {
		d, err := time.ParseDuration(s)
		if err != nil || d < least || d > most || d%time.Second != 0 {
			return 0, fmt.Errorf("a span of whole seconds from %v to %v is needed, such as 5m, not %q", least, most, s)
		}
		return int64(d / time.Second), nil
	}
}

func parseWord(words ...string) func(string) (int64, error) {
	return func(s string) (int64, error) {
		i := slices.Index(words, s)
		if i < 0 {
			return 0, fmt.Errorf("%s is needed, not %q", strings.Join(words, " or "), s)
		}
		return int64(i), nil
	}
}
