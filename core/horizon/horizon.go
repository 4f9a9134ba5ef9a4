// Package horizon says where the past of a server ends: the causes of a 410 (Gone), each in the words of all who
// explain it, and the limits of the buffers that watch caches keep. It is a leaf, so that who shows a server does not
// contain its store.
//
// The rules are those of k8s.io/apiserver v0.36, pkg/storage/cacher; core/internal/watchcache has them.
package horizon

import (
	"slices"
	"strings"
	"time"
)

// Fresh is how young events are that a full buffer grows for rather than push them out.
const Fresh = 75 * time.Second

// Limits are those of a buffer's capacity, in events. Both are at least 1.
type Limits struct{ Least, Most int }

// DefaultLimits are those of a real server.
var DefaultLimits = Limits{Least: 100, Most: 100 * 1024}

// A Cause says why there is no answer for a version that is too old, and why a cache does not have the events from
// before its horizon. Empty: it is not known.
type Cause string

const (
	// Busy: later events have pushed them out of the buffer.
	Busy Cause = "busy"
	// Restarted: the API server was restarted then.
	Restarted Cause = "restarted"
	// Started: the API server was started then.
	Started Cause = "started"
	// Relisted: the cache was behind what etcd had compacted, and was listed again.
	Relisted Cause = "relisted"
	// Defined: the custom resource's cache was made then, after a change of its definition.
	Defined Cause = "defined"
	// Forgotten: it was made to forget them.
	Forgotten Cause = "forgotten"
	// Compacted: etcd was compacted, for what reads etcd.
	Compacted Cause = "compacted"
)

// words are those of a cause; in short, VERSION is what is too old, and " of TYPE" may be left out.
type words struct {
	cause           Cause
	sentence, short string
	moved           string
}

// all has all causes, those of caches first. No other one is known to end the past.
var all = [...]words{
	{Busy, "later events of the type have pushed the next one out of the cache's buffer",
		"newer events of TYPE pushed VERSION out", "events have pushed others out"},
	{Restarted, "the API server was restarted, and its caches have no earlier events",
		"the server restarted after VERSION", "SERVER restarted"},
	{Started, "this API server was started later than others, and its caches have no earlier events",
		"this server started after VERSION", ""},
	{Relisted, "the cache was so far behind that etcd had compacted what it would have read next, so it was listed again",
		"the cache missed what came after VERSION", "too late for etcd, listed again"},
	{Defined, "the definition of the custom resource was changed, which gave it a new cache",
		"the definition of TYPE changed after VERSION", "its definition changed"},
	{Forgotten, "the caches have dropped it, because of a lever or a lack of memory",
		"the caches no longer have what came after VERSION", "history was dropped"},
	{Compacted, "no cache has it, and etcd has compacted it",
		"etcd was compacted after VERSION", "etcd was compacted"},
}

// Causes returns all causes. The slice is the caller's.
func Causes() (causes []Cause) {
	for _, w := range all {
		causes = append(causes, w.cause)
	}
	return causes
}

func (c Cause) words() words {
	if i := slices.IndexFunc(all[:], func(w words) bool { return w.cause == c }); i >= 0 {
		return all[i]
	}
	return words{}
}

// Sentence explains the cause. It begins in lower case and has no full stop. Empty if the cause is not known.
func (c Cause) Sentence() string { return c.words().sentence }

// Short explains it with the version that is too old, in half a line, and names the resource if there is one.
func (c Cause) Short(resource, version string) string {
	short := c.words().short
	if resource == "" {
		short = strings.Replace(short, " of TYPE", "", 1)
	}
	return strings.NewReplacer("TYPE", resource, "VERSION", version).Replace(short)
}

// Moved says what moved the beginning of a buffer of a server; empty if it is where the server began.
func (c Cause) Moved(server string) string {
	return strings.Replace(c.words().moved, "SERVER", server, 1)
}
