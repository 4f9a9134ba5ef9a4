package format

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/settings"
)

// A Change leads from one state of the settings to another.
type Change struct {
	// Patch is a JSON merge patch of the ControlPlane; empty when nothing differs.
	Patch string
	// Set describes what changes because the lesson requires it, Restored what else does: that was changed before and
	// is set back.
	Set, Restored []string
}

// Changes tells what has to change from now for a lesson that requires that to
// start, where before is what everything else is to be.
func Changes(now, before Settings, required []Requirement) Change {
	to := before.With(required)
	var c Change
	spec := settings.Values{}
	change := func(path string, words []string, keys ...string) {
		if to[path] == now[path] || !json.Valid([]byte(to[path])) { // an older visit did not note it
			return
		}
		spec[path] = json.RawMessage(to[path])
		usual := func(r Requirement) bool { return slices.Contains(keys, r.Key) && r.Usual }
		if slices.ContainsFunc(required, usual) {
			return
		}
		if slices.ContainsFunc(required, func(r Requirement) bool { return slices.Contains(keys, r.Key) }) {
			c.Set = append(c.Set, words...)
		} else {
			c.Restored = append(c.Restored, words...)
		}
	}
	change(replicasPath, replicaWords(now[replicasPath], to[replicasPath]), "servers", "lag", "frozen")
	for _, row := range rows() {
		change(row.path, []string{row.words(to[row.path])}, row.key)
	}
	if len(spec) == 0 {
		return c
	}
	c.Patch = settings.Patch(spec)
	return c
}

// Spec returns what is required as a part of the ControlPlane's spec, as JSON.
func Spec(required []Requirement) json.RawMessage {
	spec := map[string]any{}
	for path, value := range (Settings{}).With(required) {
		settings.Put(spec, path, json.RawMessage(value))
	}
	b, _ := json.Marshal(spec) // the values of requirements are JSON
	return b
}

// Words returns what the change does; empty when it does nothing.
func (c Change) Words() string {
	var parts []string
	if len(c.Set) > 0 {
		parts = append(parts, "Settings changed: "+strings.Join(c.Set, ", ")+".")
	}
	if len(c.Restored) > 0 {
		parts = append(parts, "Reset: "+strings.Join(c.Restored, ", ")+".")
	}
	return strings.Join(parts, " ")
}

// A replica is how an API server's watch cache follows the store.
type replica struct {
	LagSeconds int64
	Frozen     bool
}

// replicaWords returns how the servers are from now on, as far as that is new.
func replicaWords(before, now string) []string {
	var from, to []replica
	if json.Unmarshal([]byte(before), &from) != nil || json.Unmarshal([]byte(now), &to) != nil {
		return nil
	}
	var words []string
	if len(from) != len(to) {
		word := fmt.Sprintf("%d API servers", len(to))
		if len(to) == 1 {
			word = "one API server"
		}
		words = append(words, word)
	}
	for i, r := range to {
		var was replica
		if i < len(from) {
			was = from[i]
		}
		if r == was {
			continue
		}
		name := "its cache"
		if len(to) > 1 {
			name = "the cache of C" + strconv.Itoa(i)
		} else if len(from) == 1 {
			name = "the cache"
		}
		switch {
		case r.Frozen:
			words = append(words, name+" is frozen")
		case r.LagSeconds > 0:
			words = append(words, name+" is "+spanWords(r.LagSeconds)+" late")
		default:
			words = append(words, name+" keeps up")
		}
	}
	if len(words) == 0 && before != now {
		words = append(words, "the API servers are as they were")
	}
	return words
}

// spanWords writes a number of seconds in the largest unit that needs no
// fraction.
func spanWords(seconds int64) string {
	n, unit := seconds, "second"
	switch {
	case seconds > 0 && seconds%3600 == 0:
		n, unit = seconds/3600, "hour"
	case seconds > 0 && seconds%60 == 0:
		n, unit = seconds/60, "minute"
	}
	if n == 1 {
		return "1 " + unit
	}
	return Grouped(int(n)) + " " + unit + "s"
}

// Grouped returns a count with commas between the thousands.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
