package registry

import (
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// A plan says how a get, a list or the start of a watch is answered. It follows from the request, the
// resource type and the state alone: making it reads nothing, waits for nothing and records nothing.
//
// The verbs carry it out in this order: they wait for await, read from, and record what was read.
type plan struct {
	// rule is the ID of a rule of core/semantics.
	rule string
	// err refuses the request. Then only the rule is set besides it, and nothing is read.
	err error
	// from is where the answer comes from: source.Cache or source.Etcd.
	from string
	// await is the revision that the source has to reach before it is read: a number, revHead, or 0 for
	// none.
	await int64
	// orEtcd is set if etcd answers when the cache does not reach await in time: as planned for a state
	// without a cache.
	orEtcd bool
	// revision is that of the state that is read, or after which a watch begins: a number, revReached or
	// revHead.
	revision int64
	// exact is set if the client asks for that revision and for no other, so that a newer one is no
	// answer.
	exact bool

	keys         // of a list
	initial bool // whether a watch begins with the existing objects
}

// The revisions of a plan that depend on when it is carried out.
const (
	// revReached is the newest revision that the source of the answer has.
	revReached int64 = -1
	// revHead is the newest revision of etcd.
	revHead int64 = -2
)

// keys are what a list reads of its collection. The zero keys are all of it.
type keys struct {
	// key, if set, is the only one. name, if set, is the name in all of them.
	key, name string
	// start is the first one, of a page that continues a list.
	start string
	// limit is the largest number of them; 0 is no limit.
	limit int
}

// A state is what decides how a read is answered, besides the request and the resource type.
type state struct {
	// cached is set if the API server that answers has a watch cache of the type.
	cached bool
	// withoutSnapshots is set if the cache has none, since the feature gate ListFromCacheSnapshot is off.
	withoutSnapshots bool
	// unready is the error of a cache that has not been listed yet; nil: it has.
	unready error
}

// source returns where reads come from that do not have to come from etcd.
func (s state) source() string {
	if s.cached {
		return source.Cache
	}
	return source.Etcd
}

// refuse returns the plan of a read that is refused.
func refuse(rule string, err error) plan { return plan{rule: rule, err: err} }

// planGet returns the plan of a get.
func planGet(t Target, resourceVersion string, s state) plan {
	rev, err := parseVersion(resourceVersion)
	s.cached = s.cached && s.unready == nil
	if err != nil && !s.cached {
		err = status.NewBadRequest("invalid resource version: " + err.Error())
	}
	p := plan{rule: semantics.GetNotOlderThan, from: s.source(), await: rev, revision: revReached}
	switch {
	case err != nil:
		return refuse(semantics.GetInvalid, err)
	case resourceVersion == "":
		p.rule, p.from = semantics.GetLatest, source.Etcd
	case t.Uncached:
		p.rule = semantics.GetUncached
	case resourceVersion == "0":
		p.rule = semantics.GetAny
	}
	return p
}

// planList returns the plan of a list, whose options are valid: the table of resourceVersion,
// resourceVersionMatch, limit and continue in the API concepts page.
func planList(t Target, o ListOptions, s state) plan {
	p := planListing(t, o, s)
	if s.withoutSnapshots && (p.exact || p.rule == semantics.ListContinueInconsistent) {
		p.from, p.orEtcd = source.Etcd, false
	}
	switch {
	case s.unready == nil || p.from != source.Cache:
		return p
	case p.limit > 0 && o.Empty():
		return planList(t, o, state{})
	}
	return refuse(p.rule, s.unready)
}

// planListing is planList for a cache that is ready.
func planListing(t Target, o ListOptions, s state) plan {
	if o.Continue != "" {
		return planContinue(t, o, s)
	}
	k, single := keysOf(t, o)
	rev, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return refuse(semantics.ListInvalid, status.NewBadRequest("invalid resource version: "+err.Error()))
	}
	p := plan{from: s.source(), await: rev, revision: revReached, keys: k}
	switch match := o.ResourceVersionMatch; {
	case o.ResourceVersion == "":
		p.rule, p.await, p.orEtcd = t.orUncached(semantics.ListLatest), revHead, s.cached
	case o.ResourceVersion == "0":
		p.rule, p.limit = t.orUncached(semantics.ListAny), o.limit(s)
	case match == MatchExact:
		p.rule = semantics.ListExact
		p.readExactly(rev)
	case match == "" && p.limit > 0 && single:
		p.rule = semantics.ListOneName
	case match == "" && p.limit > 0: // the behaviour before there was a resourceVersionMatch
		p.rule = semantics.ListExactByLimit
		p.readExactly(rev)
	default:
		p.rule = t.orUncached(semantics.ListNotOlderThan)
	}
	if single && (p.rule == semantics.ListExact || p.rule == semantics.ListOneName) {
		p.from = source.Etcd
	}
	return p
}

// readExactly makes a list one of exactly a revision. A 0 that is not written as one, such as "00",
// does not make it one: it reads etcd's newest state.
func (p *plan) readExactly(rev int64) {
	if rev == 0 {
		p.revision = revHead
		return
	}
	p.revision, p.exact = rev, true
}

// planContinue returns the plan of a list with a continue token: from its key on, at its revision or,
// if it has none, at the most recent one.
func planContinue(t Target, o ListOptions, s state) plan {
	start, rev, err := parseToken(o.Continue)
	if err == nil && o.ResourceVersion != "" && o.ResourceVersion != "0" {
		err = status.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	if err != nil {
		return refuse(semantics.ListInvalid, err)
	}
	p := plan{rule: semantics.ListContinue, from: s.source()}
	p.start, p.limit = t.group()+start, o.limit(s)
	p.name, _ = o.Fields.RequiresExact("metadata.name")
	if rev < 0 {
		p.rule = semantics.ListContinueInconsistent
		p.await, p.orEtcd, p.revision = revHead, s.cached, revReached
		return p
	}
	if p.limit != o.pageSize() {
		p.rule = semantics.ListContinueAny
	}
	p.await, p.revision, p.exact = rev, rev, true
	return p
}

// keysOf returns what a list reads of its collection by its limit and a selector of names. single
// reports whether that is one object, which has no pages.
func keysOf(t Target, o ListOptions) (k keys, single bool) {
	k.limit = o.pageSize()
	name, ok := o.Fields.RequiresExact("metadata.name")
	if !ok || name == "" {
		return k, false
	}
	if t.Namespace == "" && t.Namespaced {
		namespace, ok := o.Fields.RequiresExact("metadata.namespace")
		if !ok {
			k.name = name
			return k, false
		}
		t.Namespace = namespace
	}
	k.key = t.key(name)
	return k, true
}

// pageSize returns the limit that the options ask for; 0 means no limit.
func (o ListOptions) pageSize() int { return int(max(0, min(o.Limit, 1<<31-1))) }

// limit returns the limit that counts: a cache that is asked for any version answers with everything.
func (o ListOptions) limit(s state) int {
	if s.cached && o.ResourceVersion == "0" {
		return 0
	}
	return o.pageSize()
}

// orUncached returns the rule for a list of a type without a watch cache, else the one given.
func (t Target) orUncached(rule string) string {
	if t.Uncached {
		return semantics.ListUncached
	}
	return rule
}

// planWatch returns the plan of the start of a watch, whose options are valid: after a version, or with
// the existing objects as initial events, as resourceVersion and sendInitialEvents say.
func planWatch(t Target, o ListOptions, s state) plan {
	rev, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return refuse(semantics.WatchInvalid, err)
	}
	if s.unready != nil {
		return refuse(semantics.WatchFrom, s.unready)
	}
	unset, chosen := o.ResourceVersion == "", o.SendInitialEvents != nil
	p := plan{from: s.source(), revision: revReached, initial: rev == 0}
	if chosen {
		p.initial = *o.SendInitialEvents
	}
	switch {
	case p.initial && t.Uncached:
		p.rule = semantics.WatchUncached
	case p.initial && unset && !chosen:
		p.rule = semantics.WatchOlder
	case p.initial && unset:
		p.rule = semantics.WatchLatest
	case p.initial && rev == 0:
		p.rule = semantics.WatchAny
	case p.initial:
		p.rule = semantics.WatchNotOlderThan
	case unset:
		p.rule, p.revision = semantics.WatchFromNow, revHead
	case rev == 0 && t.Uncached:
		p.rule = semantics.WatchFromNow
	case rev == 0:
		p.rule = semantics.WatchFromAny
	default:
		p.rule, p.revision, p.exact = semantics.WatchFrom, rev, true
	}
	if p.initial {
		if p.await = rev; unset && chosen {
			p.await = revHead
		}
	}
	return p
}
