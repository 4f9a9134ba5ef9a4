package lesson

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
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
const replicasPath = "cache.replicas"

// settings are the rows, in the order in which they are said.
var settings = []setting{
	{"retention", "history.retentionSeconds", "300", "3600", parseSpan(time.Second, 24*time.Hour),
		spanSaid("etcd is compacted every ")},
	{"bookmarks", "watch.bookmarkSeconds", "60", "60", parseBookmarks, func(v string) string {
		if v == "0" {
			return "no bookmarks come"
		}
		return spanSaid("a bookmark comes every ")(v)
	}},
	{"progress", "cache.progressSeconds", "5", "5", parseSpan(time.Second, 24*time.Hour),
		spanSaid("etcd reports its progress to the caches every ")},
	{"capacity", "cache.capacity", `{"least":100,"most":102400}`, `{"least":100,"most":102400}`, parseCapacity,
		capacitySaid},
	choice("controllers", "controllers.enabled", "true", settingValue{"on", "true", "the controllers run"},
		settingValue{"off", "false", "no controller runs"}),
	choice("clock", "clock.paused", "false", settingValue{"running", "false", "the clock runs"},
		settingValue{"paused", "true", "the clock is paused"}),
	choice("chaos", "chaos.enabled", "false", settingValue{"off", "false", "nothing goes wrong at random"},
		settingValue{"on", "true", "something goes wrong at random"}),
	parameterSetting("match", "resourceVersionMatch", "resourceVersionMatch is"),
	parameterSetting("limit", "limit", "limit is"),
	parameterSetting("allow-bookmarks", "bookmarks", "allowWatchBookmarks is"),
	parameterSetting("initial-events", "sendInitialEvents", "sendInitialEvents is"),
	choice("authorization", "authorization.mode", `"AlwaysAllow"`,
		settingValue{"AlwaysAllow", `"AlwaysAllow"`, "everyone may do everything"},
		settingValue{"RBAC", `"RBAC"`, "Roles decide who may do what"}),
	choice("faults", "faults", "[]", settingValue{"none", "[]", "no client is disturbed"}),
}

// A settingValue is a value of a setting: in the front matter, as JSON, and in words.
type settingValue struct{ key, json, said string }

func choice(key, path, usual string, words ...settingValue) setting {
	return setting{
		key: key, path: path, usual: usual, start: usual,
		parse: func(s string) (string, error) {
			var keys []string
			for _, w := range words {
				if w.key == s {
					return w.json, nil
				}
				keys = append(keys, w.key)
			}
			return "", fmt.Errorf("%s is needed, not %q", strings.Join(keys, " or "), s)
		},
		words: func(value string) string {
			for _, w := range words {
				if w.json == value {
					return w.said
				}
			}
			return key + " is as it was"
		},
	}
}

// parameterSetting returns the setting whether servers know a parameter.
func parameterSetting(key, field, said string) setting {
	return choice(key, "compatibility."+field, `"Honor"`,
		settingValue{"honoured", `"Honor"`, said + " honoured"}, settingValue{"ignored", `"Ignore"`, said + " ignored"})
}

func spanSaid(before string) func(string) string {
	return func(value string) string {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return before + value
		}
		return before + spanWords(n)
	}
}

// replicaKeys are the keys of the front matter that are about API servers.
var replicaKeys = map[string]func(string) (string, error){
	"servers": parseCount, "lag": parseSpan(0, time.Hour),
	"frozen": choice("", "", "", settingValue{"false", "false", ""}, settingValue{"true", "true", ""}).parse,
}

// RequirementKeys returns the words of the front matter that a lesson can require settings by.
func RequirementKeys() []string {
	keys := slices.Sorted(maps.Keys(replicaKeys))
	for _, s := range settings {
		keys = append(keys, s.key)
	}
	return keys
}

// parseRequirement reads a line of the front matter.
func parseRequirement(key, value string) (Requirement, error) {
	parse := replicaKeys[key]
	for _, s := range settings {
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
	for _, row := range settings {
		s[row.path] = row.usual
	}
	for path := range s {
		v, ok := at(cp.Spec, path)
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

// at returns the value at a path of a tree; null counts as none.
func at(tree map[string]any, path string) (any, bool) {
	name, rest, more := strings.Cut(path, ".")
	v, ok := tree[name]
	if !more {
		return v, ok && v != nil
	}
	below, _ := v.(map[string]any)
	return at(below, rest)
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
		for _, row := range settings {
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
	for _, row := range settings {
		if !has(row.key) {
			l.Requires = append(l.Requires, Requirement{row.key, row.start, true})
		}
	}
}

// maxServers bounds the number of API servers that a lesson may require: a cluster has no
// more.
const maxServers = 3

func parseCount(s string) (string, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxServers {
		return "", fmt.Errorf("a number from 1 to %d is needed, not %q", maxServers, s)
	}
	return strconv.Itoa(n), nil
}

func parseBookmarks(s string) (string, error) {
	if s == "never" {
		return "0", nil
	}
	return parseSpan(time.Second, 24*time.Hour)(s)
}

// A capacity is how many events of a type a watch cache has room for.
type capacity struct {
	Least int `json:"least"`
	Most  int `json:"most"`
}

// maxCapacity is the most that a cluster allows.
const maxCapacity = 1 << 20

// parseCapacity reads the bounds of a cache's capacity: 100-102400.
func parseCapacity(s string) (string, error) {
	least, most, _ := strings.Cut(s, "-")
	var c capacity
	var err, err2 error
	c.Least, err = strconv.Atoi(least)
	c.Most, err2 = strconv.Atoi(most)
	if err != nil || err2 != nil || c.Least < 1 || c.Most < c.Least || c.Most > maxCapacity {
		return "", fmt.Errorf("two numbers of events from 1 to %d are needed, such as 100-102400, not %q", maxCapacity, s)
	}
	b, err := json.Marshal(c)
	return string(b), err
}

func capacitySaid(value string) string {
	var c capacity
	if err := json.Unmarshal([]byte(value), &c); err != nil {
		return "the capacity of the caches is as it was"
	}
	return fmt.Sprintf("a cache has room for %s to %s events of a type", grouped(c.Least), grouped(c.Most))
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
