package reflector

import (
	"strconv"
	"time"
)

// Phase says what a client is doing.
type Phase byte

// The phases.
const (
	Stopped Phase = iota
	Listing
	Asking // for the newest version, which is a mistake
	Watching
	Waiting // after an error
)

// A State is what a client is doing.
type State struct {
	Phase Phase
	Page  int   // of the list, from 1
	Again bool  // it is not the first list
	After int64 // the version that the watch has come to
	Delay time.Duration
	Why   string // it lists again, or waits
	Counts
}

// Counts are how often a client has done what.
type Counts struct {
	Lists, Watches    int // requests
	Events, Bookmarks int // events with bookmarks
}

// String returns the state in one line: "watching after 31".
func (s State) String() string {
	why := ""
	if s.Why != "" {
		why = ": " + s.Why
	}
	switch s.Phase {
	case Listing:
		text := "listing"
		if s.Again {
			text = "listing again"
		}
		if s.Page > 1 {
			text += ", page " + strconv.Itoa(s.Page)
		}
		return text + why
	case Asking:
		return "asking for the newest version"
	case Watching:
		return "watching after " + strconv.FormatInt(s.After, 10)
	case Waiting:
		return "backing off " + strconv.FormatFloat(s.Delay.Seconds(), 'f', -1, 64) + " s" + why
	}
	return "stopped"
}
