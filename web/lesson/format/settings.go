package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/settings"
)

// Settings are the settings of the control plane that a lesson may depend on: their values as compact JSON, by their
// paths in the spec of the object controlplanes/default.
type Settings map[string]string

// A Requirement is a setting that a lesson starts with.
type Requirement struct {
	// Key is the word of the front matter, such as servers or retention.
	Key string
	// Value is JSON.
	Value string
	// Usual says that the lesson does not mention it, so nothing is said of it.
	Usual bool
}

// A setting is a row of what can be required.
type setting struct {
	key, path string
	// usual is the value in a new cluster, start what a lesson starts with that says
	// nothing about it.
	usual, start string
	parse        func(string) (string, error)
	words        func(value string) string
}

// replicasPath is where the API servers are. Three keys make its value, which is a list.
var replicasPath = settings.Replicas.Path

// rows are what can be required, in the order in which it is said: the settings of the control plane that have a key,
// and the capacity of caches, which is two of them. They are made when asked for, as the page starts without them.
var rows = sync.OnceValue(requirable)

func requirable() (rows []setting) {
	for _, s := range settings.All {
		switch {
		case s.Path == settings.Least.Path:
			rows = append(rows, capacityRow())
		case s.Key != "":
			usual := asJSON(s.Default)
			row := setting{key: s.Key, path: s.Path, usual: usual, start: usual, parse: parserOf(s), words: sayerOf(s)}
			if start, ok := starts[s.Path]; ok {
				row.start = start
			}
			rows = append(rows, row)
		}
	}
	return append(rows, setting{
		key: "faults", path: "faults", usual: "[]", start: "[]",
		parse: oneOf(settings.Setting{Words: []settings.Word{{Value: []any{}, Key: "none"}}}),
		words: func(string) string { return "no client is disturbed" },
	})
}

// starts are what lessons start with, where that is not what a new cluster has: an hour in which nothing is compacted.
var starts = map[string]string{settings.Retention.Path: "3600"}

// asJSON returns a value of a setting in compact JSON.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values of settings are such that JSON can hold
	}
	return string(b)
}

// parserOf returns what reads a value of a setting.
func parserOf(s settings.Setting) func(string) (string, error) {
	words := oneOf(s)
	if s.Kind != settings.Seconds {
		return words
	}
	most, least := time.Duration(s.Most)*time.Second, time.Duration(s.Least)*time.Second
	if len(s.Words) > 0 {
		least += time.Second // the word stands for it
	}
	span := parseSpan(least, most)
	return func(text string) (string, error) {
		if v, err := words(text); err == nil {
			return v, nil
		}
		return span(text)
	}
}

// oneOf returns what reads one of the words of a setting.
func oneOf(s settings.Setting) func(string) (string, error) {
	return func(text string) (string, error) {
		var keys []string
		for _, w := range s.Words {
			if w.Key == text {
				return asJSON(w.Value), nil
			}
			keys = append(keys, w.Key)
		}
		return "", fmt.Errorf("%s is needed, not %q", strings.Join(keys, " or "), text)
	}
}

// sayerOf returns what says of a value of a setting what is so then.
func sayerOf(s settings.Setting) func(value string) string {
	return func(value string) string {
		for _, w := range s.Words {
			if asJSON(w.Value) == value {
				return w.Says
			}
		}
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case s.Says == "":
			return s.Key + " is as it was"
		case err != nil:
			return s.Says + value
		}
		return s.Says + spanWords(n)
	}
}

// replicaKeys are the keys of the front matter that are about API servers.
var replicaKeys = map[string]func(string) (string, error){
	"servers": parseCount, "lag": parserOf(settings.Lag),
	"frozen": oneOf(settings.Setting{Words: []settings.Word{{Value: false, Key: "false"}, {Value: true, Key: "true"}}}),
}

// RequirementKeys returns the words of the front matter that a lesson can require settings by.
func RequirementKeys() []string {
	keys := slices.Sorted(maps.Keys(replicaKeys))
	for _, s := range rows() {
		keys = append(keys, s.key)
	}
	return keys
}

// parseRequirement reads a line of the front matter.
func parseRequirement(key, value string) (Requirement, error) {
	parse := replicaKeys[key]
	for _, s := range rows() {
		if s.key == key {
			parse = s.parse
		}
	}
	if parse == nil {
		return Requirement{}, fmt.Errorf("unknown requirement %q: there are %s", key, strings.Join(RequirementKeys(), ", "))
	}
	v, err := parse(value)
	if err != nil {
		return Requirement{}, fmt.Errorf("%s: %w", key, err)
	}
	return Requirement{Key: key, Value: v}, nil
}

// ErrSettings is the error of an object that is not a ControlPlane.
var ErrSettings = errors.New("lesson: not a ControlPlane")

// ParseSettings reads the settings from a ControlPlane as JSON. What the object does not
// say is as in a new cluster. Errors wrap ErrSettings.
func ParseSettings(object string) (Settings, error) {
	var cp struct{ Spec map[string]any }
	if err := json.Unmarshal([]byte(object), &cp); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSettings, err)
	}
	s := Settings{replicasPath: "[{}]"}
	for _, row := range rows() {
		s[row.path] = row.usual
	}
	for path := range s {
		v, ok := settings.At(cp.Spec, path)
		if !ok {
			continue
		}
		if path == replicasPath {
			list, isList := v.([]any)
			if !isList {
				return nil, fmt.Errorf("%w: %s is no list", ErrSettings, path)
			}
			if len(list) == 0 {
				continue
			}
			v = plainReplicas(list)
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSettings, err)
		}
		s[path] = string(b)
	}
	return s, nil
}

// plainReplicas leaves out what is as a server has it without: that of no lag is no lag.
func plainReplicas(list []any) []any {
	out := make([]any, len(list))
	for i, one := range list {
		plain := map[string]any{}
		fields, _ := one.(map[string]any)
		for name, v := range fields {
			if v != nil && v != false && v != float64(0) {
				plain[name] = v
			}
		}
		out[i] = plain
	}
	return out
}

// Equal reports whether two Settings are the same.
func (s Settings) Equal(other Settings) bool { return maps.Equal(s, other) }

// With returns the settings with what a lesson requires in force.
func (s Settings) With(required []Requirement) Settings {
	to := maps.Clone(s)
	servers, lag, frozen := 0, "", ""
	for _, r := range required {
		switch r.Key {
		case "servers":
			servers, _ = strconv.Atoi(r.Value)
		case "lag":
			lag = r.Value
		case "frozen":
			frozen = r.Value
		}
		for _, row := range rows() {
			if row.key == r.Key {
				to[row.path] = r.Value
			}
		}
	}
	if servers == 0 {
		return to
	}
	one := "{}"
	switch {
	case frozen == "true":
		one = `{"frozen":true}`
	case lag != "" && lag != "0":
		one = `{"lagSeconds":` + lag + `}`
	}
	to[replicasPath] = "[" + strings.Repeat(one+",", servers-1) + one + "]"
	return to
}

// requireUsual adds what a lesson starts with that says nothing about it.
func (l *Lesson) requireUsual() {
	has := func(key string) bool {
		return slices.ContainsFunc(l.Requires, func(r Requirement) bool { return r.Key == key })
	}
	if !has("servers") {
		l.Requires = append(l.Requires, Requirement{"servers", "1", true})
	}
	for _, row := range rows() {
		if !has(row.key) {
			l.Requires = append(l.Requires, Requirement{row.key, row.start, true})
		}
	}
}

func parseCount(s string) (string, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > settings.MaxReplicas {
		return "", fmt.Errorf("a number from 1 to %d is needed, not %q", settings.MaxReplicas, s)
	}
	return strconv.Itoa(n), nil
}

// A capacity is how many events of a type a watch cache has room for.
type capacity struct {
	Least int `json:"least"`
	Most  int `json:"most"`
}

// capacityRow is the setting of the bounds of caches' capacity.
func capacityRow() setting {
	usual := asJSON(capacity{int(settings.Least.Default.(int64)), int(settings.Most.Default.(int64))})
	return setting{key: "capacity", path: "cache.capacity", usual: usual, start: usual, parse: parseCapacity,
		words: capacitySaid}
}

// parseCapacity reads the bounds of a cache's capacity: 100-102400.
func parseCapacity(s string) (string, error) {
	least, most, _ := strings.Cut(s, "-")
	var c capacity
	var err, err2 error
	c.Least, err = strconv.Atoi(least)
	c.Most, err2 = strconv.Atoi(most)
	within := int64(c.Least) >= settings.Least.Least && c.Most >= c.Least && int64(c.Most) <= settings.Most.Most
	if err != nil || err2 != nil || !within {
		return "", fmt.Errorf("two numbers of events from %d to %d are needed, such as 100-102400, not %q",
			settings.Least.Least, settings.Most.Most, s)
	}
	return asJSON(c), nil
}

func capacitySaid(value string) string {
	var c capacity
	if err := json.Unmarshal([]byte(value), &c); err != nil {
		return "the capacity of the caches is as it was"
	}
	return fmt.Sprintf("a cache has room for %s to %s events of a type", Grouped(c.Least), Grouped(c.Most))
}

// parseSpan reads whole seconds in the syntax of Go: 0, 5m or 1h30m.
func parseSpan(least, most time.Duration) func(string) (string, error) {
	return func(s string) (string, error) {
		d, err := time.ParseDuration(s)
		if err != nil || d < least || d > most || d%time.Second != 0 {
			return "", fmt.Errorf("a span of whole seconds from %v to %v is needed, such as 5m, not %q", least, most, s)
		}
		return strconv.FormatInt(int64(d/time.Second), 10), nil
	}
}
