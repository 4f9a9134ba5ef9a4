package relay

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// The types of Lines.
const (
	// Hello is the first line of a stream: Cluster, Rights, You, Grants, Since, Time; Compacted, if
	// commits follow.
	Hello = "HELLO"
	// Commit is a version of an object: Revision, Created, Time, Bucket, Key, Deleted, Object, User and
	// Manager.
	Commit = "COMMIT"
	// Hidden is the commits up to Revision that the member may not see; Time is that of the last.
	Hidden = "HIDDEN"
	// Define is the definition of a custom resource, in Key and Object, that the member may not read;
	// without an Object it was deleted.
	Define = "DEFINE"
	// Synced is the end of a snapshot: Revision and Compacted.
	Synced = "SYNCED"
	// Compacted says that the history was compacted, to Compacted.
	Compacted = "COMPACTED"
	// Caches is what the watch caches of the room's API servers have forgotten: Servers, and the last
	// compaction that they look up, at Compacted and Time.
	Caches = "CACHES"
	// Clock is the state of the cluster's clock.
	Clock = "CLOCK"
	// Beat comes when there was nothing else for some time.
	Beat = "BEAT"
	// End is the last line of a stream that the client should open again, and says why in Reason.
	End = "END"
)

// A Line is one line of a stream, in JSON. Its Type determines which fields it has.
type Line struct {
	Type string `json:"type"`

	// Cluster is the uid of the cluster, and Rights the key of the member's rights, which Grants are.
	Cluster string  `json:"cluster,omitempty"`
	Rights  string  `json:"rights,omitempty"`
	Grants  *Grants `json:"grants,omitempty"`
	You     *You    `json:"you,omitempty"`
	// Since is the revision after which commits follow; 0 if a snapshot follows.
	Since int64 `json:"since,omitempty"`

	Revision  int64 `json:"revision,omitempty"`
	Created   int64 `json:"created,omitempty"`
	Compacted int64 `json:"compacted,omitempty"`
	// Time is that of the commit by the cluster's clock; in a HELLO it is the host's.
	Time    *time.Time      `json:"time,omitempty"`
	Bucket  string          `json:"bucket,omitempty"`
	Key     string          `json:"key,omitempty"`
	Deleted bool            `json:"deleted,omitempty"`
	User    string          `json:"user,omitempty"`
	Manager string          `json:"manager,omitempty"`
	Request string          `json:"request,omitempty"`
	Object  json.RawMessage `json:"object,omitempty"`

	Servers []Begin `json:"servers,omitempty"`

	Clock  *persist.Clock `json:"clock,omitempty"`
	Reason string         `json:"reason,omitempty"`
}

// A Begin is the revision from before which an API server remembers nothing, and why.
type Begin struct {
	Since int64         `json:"since"`
	Why   horizon.Cause `json:"why"`
}

// You is who a stream is for.
type You struct {
	Name   string   `json:"name"`
	UID    string   `json:"uid,omitempty"`
	Groups []string `json:"groups,omitempty"`
}

// appendLine adds a line that is not one of the many.
func appendLine(b []byte, l Line) []byte {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // strings and numbers, and objects that were stored
	}
	return append(append(b, text...), '\n')
}

// appendCommit adds the line of an event. The object is the stored bytes, which are JSON without a
// line break.
func appendCommit(b []byte, e *mvcc.Event) []byte {
	b = strconv.AppendInt(append(b, `{"type":"COMMIT","revision":`...), e.Revision, 10)
	b = strconv.AppendInt(append(b, `,"created":`...), e.Created, 10)
	b = appendTime(b, e.Time)
	b = appendText(b, "bucket", e.Bucket)
	b = appendText(b, "key", e.Key)
	if e.Deleted {
		b = append(b, `,"deleted":true`...)
	}
	if a := e.Author; a != nil {
		b = appendText(appendText(b, "user", a.User), "manager", a.Manager)
		if a.Request != "" {
			b = appendText(b, "request", a.Request)
		}
	}
	return append(append(append(b, `,"object":`...), e.Value...), "}\n"...)
}

func appendHidden(b []byte, rev int64, t time.Time) []byte {
	b = strconv.AppendInt(append(b, `{"type":"HIDDEN","revision":`...), rev, 10)
	return append(appendTime(b, t), "}\n"...)
}

func appendTime(b []byte, t time.Time) []byte {
	b = append(b, `,"time":"`...)
	return append(t.UTC().AppendFormat(b, time.RFC3339Nano), '"')
}

func appendText(b []byte, name, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return append(b, quoted...)
}
