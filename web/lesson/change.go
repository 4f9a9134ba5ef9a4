package lesson

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Change leads from one state of the settings to another.
type Change struct {
	// Patch is a JSON merge patch of the ControlPlane; empty when nothing differs.
	Patch string
	// Set says in words what changes because the lesson requires it, Restored
	// what else does: that was changed before and is given back.
	Set, Restored []string
}

// Changes tells what has to change from now for a lesson that requires that to
// start, where before is what everything else is to be.
func Changes(now, before Settings, required []Requirement) Change {
	to := before.With(required)
	var c Change
	var patch controlPlane
	say := func(words []string, keys ...string) {
		if slices.ContainsFunc(required, func(r Requirement) bool { return slices.Contains(keys, r.Key) }) {
			c.Set = append(c.Set, words...)
		} else {
			c.Restored = append(c.Restored, words...)
		}
	}
	if !slices.Equal(now.Replicas, to.Replicas) {
		patch.Spec.Cache = &cacheSpec{to.Replicas}
		say(replicaWords(now.Replicas, to.Replicas), "servers", "lag", "frozen")
	}
	if now.Retention != to.Retention {
		patch.Spec.History = &historySpec{to.Retention}
		say([]string{"history is kept for " + spanWords(to.Retention)}, "retention")
	}
	if now.Bookmarks != to.Bookmarks {
		patch.Spec.Watch = &watchSpec{to.Bookmarks}
		say([]string{"a bookmark comes every " + spanWords(to.Bookmarks)}, "bookmarks")
	}
	if now.Paused != to.Paused {
		patch.Spec.Clock = &clockSpec{to.Paused}
		say([]string{"the clock " + map[bool]string{false: "runs", true: "is paused"}[to.Paused]}, "clock")
	}
	if now.Chaos != to.Chaos {
		patch.Spec.Chaos = &chaosSpec{to.Chaos}
		say([]string{map[bool]string{false: "nothing", true: "something"}[to.Chaos] + " goes wrong at random"}, "chaos")
	}
	if now.IgnoreMatch != to.IgnoreMatch {
		word := matchWords[0]
		if to.IgnoreMatch {
			word = matchWords[1]
		}
		patch.Spec.Compatibility = &compatibilitySpec{word}
		say([]string{"resourceVersionMatch is " + map[bool]string{false: "honoured", true: "ignored"}[to.IgnoreMatch]}, "match")
	}
	if len(c.Set)+len(c.Restored) == 0 {
		return c
	}
	b, err := json.Marshal(patch)
	if err != nil {
		return Change{}
	}
	c.Patch = string(b)
	return c
}

// Words says what the change does; empty when it does nothing.
func (c Change) Words() string {
	var parts []string
	if len(c.Set) > 0 {
		parts = append(parts, "Set for this lesson: "+strings.Join(c.Set, ", ")+".")
	}
	if len(c.Restored) > 0 {
		parts = append(parts, "Set back as it was: "+strings.Join(c.Restored, ", ")+".")
	}
	return strings.Join(parts, " ")
}

// replicaWords says how the servers are from now on, as far as that is new.
func replicaWords(from, to []Replica) []string {
	var words []string
	if len(from) != len(to) {
		word := fmt.Sprintf("%d API servers", len(to))
		if len(to) == 1 {
			word = "one API server"
		}
		words = append(words, word)
	}
	for i, r := range to {
		var was Replica
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
	return grouped(int(n)) + " " + unit + "s"
}
