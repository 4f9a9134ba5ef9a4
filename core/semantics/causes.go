package semantics

// A Cause says why there is no answer for a version that is too old: a 410.
type Cause struct {
	// ID is that of core/watchcache, which core/source passes on.
	ID string
	// Sentence explains it. It begins in lower case and has no full stop.
	Sentence string
}

// causes are all causes, those of caches first. No other one is known to end the past.
var causes = [...]Cause{
	{"busy", "later events of the type have pushed the next one out of the cache's buffer"},
	{"restarted", "the API server was restarted, and its caches have no earlier events"},
	{"started", "this API server was started later than others, and its caches have no earlier events"},
	{"relisted", "the cache was so far behind that etcd had compacted what it would have read next, " +
		"so it was listed again"},
	{"defined", "the definition of the custom resource was changed, which gave it a new cache"},
	{"forgotten", "the caches have dropped it, because of a lever or a lack of memory"},
	{"compacted", "no cache has it, and etcd has compacted it"},
}

// Causes returns all causes. The slice is the caller's.
func Causes() []Cause { return append([]Cause(nil), causes[:]...) }

// CauseOf returns the cause of an ID; false if there is none.
func CauseOf(id string) (Cause, bool) {
	for _, c := range causes {
		if c.ID == id {
			return c, true
		}
	}
	return Cause{}, false
}
