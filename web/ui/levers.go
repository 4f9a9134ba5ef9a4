package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// Seconds reads a span of time as people write it: 90, 90s, 5m, 1h30m. It
// reports false for what is not a number of seconds, or less than a second.
func Seconds(s string) (int64, bool) {
	s = strings.ReplaceAll(strings.ToLower(s), " ", "")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, n > 0
	}
	d, err := time.ParseDuration(s)
	return int64(d / time.Second), err == nil && d >= time.Second
}

// Span returns a number of seconds in the units that people use: 45 s, 5 min, 1 h 30 min.
func Span(seconds int64) string {
	var parts []string
	for _, u := range [...]struct {
		size int64
		name string
	}{{86400, " d"}, {3600, " h"}, {60, " min"}, {1, " s"}} {
		if n := seconds / u.size; n > 0 {
			parts = append(parts, strconv.FormatInt(n, 10)+u.name)
			seconds %= u.size
		}
	}
	if len(parts) > 2 {
		parts = parts[:2]
	}
	if len(parts) == 0 {
		return "0 s"
	}
	return strings.Join(parts, " ")
}

// Off says in few words how the cluster's time differs from the reader's; empty
// if it does not.
func Off(c revisions.Clock) string {
	switch {
	case c.Paused:
		return "paused"
	case c.Faster > 0:
		return strconv.FormatInt(c.Faster+1, 10) + " times as fast"
	case c.Offset > 0:
		return "+" + Span(c.Offset)
	case c.Offset < 0:
		return "−" + Span(-c.Offset)
	}
	return ""
}

// CacheRow is an API server with its watch cache.
type CacheRow struct {
	Index  int
	Name   string // C0, or cache if there is only one
	Rev    int64
	Behind int64 // revisions
	revisions.Replica
}

// CacheRows returns the API servers of a state. An older server says nothing of
// them: it is one, and keeps up.
func CacheRows(s revisions.State) []CacheRow {
	out := make([]CacheRow, max(1, len(s.Replicas), len(s.Caches)))
	for i := range out {
		r := CacheRow{Index: i, Name: s.CacheName(i), Rev: s.Cache(i)}
		r.Behind = max(0, s.Head-r.Rev)
		if i < len(s.Replicas) {
			r.Replica = s.Replicas[i]
		}
		out[i] = r
	}
	return out
}

// CachePatch returns the JSON merge patch that makes the API servers those of rows. A merge patch replaces a list as a
// whole: what is not changed is in it as it is.
func CachePatch(rows []CacheRow) string {
	replicas := make([]any, len(rows))
	for i, r := range rows {
		replicas[i] = map[string]any{"lagSeconds": r.Lag, "frozen": r.Frozen}
	}
	return settings.Patch(settings.Values{settings.Replicas.Path: replicas})
}

// Does returns how a cache follows the store.
func (r CacheRow) Does() string {
	switch {
	case r.Frozen:
		return "is frozen"
	case r.Lag > 0:
		return "lags " + Span(r.Lag)
	}
	return "keeps up"
}

func (r CacheRow) at() string {
	s := "at " + strconv.FormatInt(r.Rev, 10)
	if r.Behind > 0 {
		s += ", " + strconv.FormatInt(r.Behind, 10) + " behind"
	}
	return s
}
