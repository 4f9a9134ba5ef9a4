package semantics

import "github.com/tabernetes/tabernetes/core/settings"

// The verbs that have rules. Write stands for all that modify: create, update, patch, delete,
// deletecollection and requests that consist of them.
const (
	Get   = "get"
	List  = "list"
	Watch = "watch"
	Write = "write"
)

// The IDs of the rules.
const (
	GetLatest       = "get-latest"
	GetAny          = "get-any"
	GetNotOlderThan = "get-not-older-than"
	GetUncached     = "get-uncached"
	GetInvalid      = "get-invalid"

	ListLatest               = "list-latest"
	ListAny                  = "list-any"
	ListNotOlderThan         = "list-not-older-than"
	ListExact                = "list-exact"
	ListExactByLimit         = "list-exact-by-limit"
	ListContinue             = "list-continue"
	ListContinueAny          = "list-continue-any"
	ListContinueInconsistent = "list-continue-inconsistent"
	ListOneName              = "list-one-name"
	ListUncached             = "list-uncached"
	ListInvalid              = "list-invalid"

	WatchLatest       = "watch-latest"
	WatchAny          = "watch-any"
	WatchNotOlderThan = "watch-not-older-than"
	WatchFrom         = "watch-from"
	WatchFromNow      = "watch-from-now"
	WatchFromAny      = "watch-from-any"
	WatchOlder        = "watch-older"
	WatchUncached     = "watch-uncached"
	WatchInvalid      = "watch-invalid"

	WriteStored    = "write"
	WriteUnchanged = "write-unchanged"
	WriteDryRun    = "write-dry-run"
	WriteRefused   = "write-refused"
)

// wait is how long a read waits for its cache.
const wait = settings.CacheWaitText

// A Rule describes what a server does with one kind of read or write.
type Rule struct {
	ID   string
	Verb string
	// Sentence describes it in a line. It begins in lower case and has no full stop.
	Sentence string
	// Reference is the URL of its documentation by Kubernetes.
	Reference string
}

const (
	concepts   = "https://kubernetes.io/docs/reference/using-api/api-concepts/"
	getAndList = concepts + "#semantics-for-get-and-list"
	watches    = concepts + "#semantics-for-watch"
	streaming  = concepts + "#streaming-lists"
	chunks     = concepts + "#retrieving-large-results-sets-in-chunks"
	dryRun     = concepts + "#dry-run"
	versions   = concepts + "#resource-versions"
	keps       = "https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/"
	consistent = keps + "2340-Consistent-reads-from-cache"
)

// rules are all rules, in the order of verbs and from the newest state to the oldest.
var rules = [...]Rule{
	{GetLatest, Get, "as of now: read from etcd, whatever the cache has", getAndList},
	{GetAny, Get, "as the cache has it, however old", getAndList},
	{GetNotOlderThan, Get, "as the cache has it, once it has that version; 504 if it does not within " + wait,
		getAndList},
	{GetUncached, Get, "this type has no watch cache: as of now, from etcd; " +
		"504 at once for a version that does not exist yet", getAndList},
	{GetInvalid, Get, "refused before anything is read: a resourceVersion is a number", getAndList},

	{ListLatest, List, "as of now: from the cache once it has caught up with etcd, or from etcd after " + wait,
		consistent},
	{ListAny, List, "as the cache has it, however old, and all of it: limit is ignored", getAndList},
	{ListNotOlderThan, List, "as the cache has it, once it has that version; 504 if it does not within " + wait,
		getAndList},
	{ListExact, List, "as of exactly that version, from the cache's snapshots or etcd; " +
		"410 if neither has it, 504 if it does not exist yet", getAndList},
	{ListExactByLimit, List, "as of exactly that version: a limit makes it so, " +
		"unless resourceVersionMatch says otherwise", getAndList},
	{ListContinue, List, "the next page, as of the token's version, from the cache's snapshots or etcd; " +
		"410 if neither has it", chunks},
	{ListContinueAny, List, "all the rest, as of the version in the token: " +
		"with resourceVersion=0 limit is ignored", getAndList},
	{ListContinueInconsistent, List,
		"the rest as of now, with a 410's token: what changed since the last page is missed or seen twice", chunks},
	{ListOneName, List, "one object has no pages, so a limit does not make the version exact: as of now, from etcd",
		getAndList},
	{ListUncached, List, "this type has no watch cache: as of now, from etcd; " +
		"504 at once for a version that does not exist yet", getAndList},
	{ListInvalid, List, "refused before anything is read: the options do not go together, or one of them makes no sense",
		getAndList},

	{WatchLatest, Watch, "first ADDED for all that is there now, once the cache has it (504 after " + wait + "), " +
		"then changes", streaming},
	{WatchAny, Watch, "first ADDED for all that the cache has, however old, then changes", watches},
	{WatchNotOlderThan, Watch, "first ADDED for all that the cache has, once it has that version " +
		"(504 after " + wait + "), then changes", streaming},
	{WatchFrom, Watch, "changes after that version; 410 as an event if the cache does not have all of them: list again",
		watches},
	{WatchFromNow, Watch, "changes after what etcd has now", streaming},
	{WatchFromAny, Watch, "changes after what the cache has, however old", streaming},
	{WatchOlder, Watch, "without sendInitialEvents, as older clients ask: " +
		"first ADDED for all that the cache has, however old, then changes", watches},
	{WatchUncached, Watch, "this type has no watch cache: first ADDED for all that etcd has now, then changes", watches},
	{WatchInvalid, Watch, "refused before anything is read: the options do not go together, or one of them makes no sense",
		watches},

	{WriteStored, Write, "stored in etcd, which gave it the next revision", versions},
	{WriteUnchanged, Write, "nothing differs from what etcd has, so no revision was made", versions},
	{WriteDryRun, Write, "checked against what etcd has, and not stored: a dry run", dryRun},
	{WriteRefused, Write, "refused, and nothing was stored", versions},
}

// Rules returns all rules. The slice is the caller's.
func Rules() []Rule { return append([]Rule(nil), rules[:]...) }

// RuleOf returns the rule of an ID; false if none exists.
func RuleOf(id string) (Rule, bool) {
	for _, r := range rules {
		if r.ID == id {
			return r, true
		}
	}
	return Rule{}, false
}
