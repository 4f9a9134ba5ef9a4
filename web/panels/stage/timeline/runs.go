package timeline

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	// keptRuns bounds the runs kept: the newest.
	keptRuns = 40
	// leastOwn is how many commits of a server make a run.
	leastOwn = 3
)

// A Run is a run of revisions with one cause, which the stage draws as one mark: what a server makes by itself, when
// the cluster begins or a setting wants it, what a lesson or a scene is set up with, and the Leases that programs renew
// and the Events that they report while nothing else is written. In a setup may be revisions that controllers made, and
// none that another request did.
type Run struct {
	First, Last int64
	// Own counts the commits that the server made by itself, and Renewed renewals of Leases, Reported Events: a run that
	// has those has nothing else. Setup says that there are commits of a setup.
	Own, Renewed, Reported int
	Setup                  bool
}

// Start reports whether the cluster began with the run.
func (r Run) Start() bool { return r.First <= firstRevision }

// firstRevision is the revision of the first object of a cluster.
const firstRevision = 2

// counts reports whether a run is one mark.
func (r Run) counts() bool {
	return r.Last >= r.First+leastOwn-1 && (r.Own >= leastOwn || r.beats() || r.Start()) || r.Setup && r.Last > r.First
}

// beats reports whether a run says only that programs are there, and what they did.
func (r Run) beats() bool { return r.Renewed+r.Reported > 0 }

// runs are the runs of the commits up to read, oldest first.
type runs struct {
	list []Run
	read int64
	// next says that the last run continues if the next commit is of its kind. open is one more than the place of the
	// setup that may continue behind commits of nobody; 0: there is no such setup.
	next bool
	open int
	// stale says that it became known later who had made some of these commits.
	stale bool
}

// A maker is who made a commit, as far as runs depend on it.
type maker uint8

const (
	nobody      maker = iota // no request is known
	anyone                   // a request that belongs to no setup
	setup                    // a request of a setup
	server                   // the server by itself
	inNamespace              // controllers, in each new namespace
	renewal                  // a program that renews a Lease
	report                   // a program that reports an Event
)

// Runs returns the runs, oldest first. It costs the commits since the last call.
func (m *Model) Runs() []Run {
	r := &m.runs
	if r.stale {
		*r = runs{}
	}
	for i := m.Commits.Index(r.read + 1); i < m.Commits.Len(); i++ {
		k := m.Commits.At(i)
		r.add(k.Rev, m.maker(k))
	}
	return slices.DeleteFunc(slices.Clone(r.list), func(run Run) bool { return !run.counts() })
}

// maker returns who made a commit.
func (m *Model) maker(k Mark) maker {
	if w, ok := m.Writes.Of(k.Rev); ok {
		if x := m.Log.Get(w.Req); x != nil && x.Origin == "setup" {
			return setup
		}
		return anyone
	}
	o := m.Objects.Get(k.Obj)
	switch {
	case k.Kind == Modified && o.Group == "coordination.k8s.io" && o.Resource == "leases":
		return renewal
	case k.Kind != Deleted && o.Resource == "events" && !k.Others:
		return report
	case k.Others:
		return anyone
	case k.Kind == Added && ownObject(o), k.Kind == Modified && o.Resource == "clusterroles" && aggregated(o.Name):
		return server
	case k.Kind == Added && inEveryNamespace(o):
		return inNamespace
	}
	return nobody
}

// add takes a commit, which is newer than the others.
func (r *runs) add(rev int64, by maker) {
	n := len(r.list)
	switch {
	case by == setup && r.open > 0: // what came meanwhile belongs to it
		r.list = r.list[:r.open]
		r.extend(rev).Setup = true
	case r.next && (by == renewal || by == report) && r.list[n-1].beats():
		r.extend(rev).count(by)
	case r.next && !r.list[n-1].beats() && (by == setup || by == server || by == inNamespace && r.list[n-1].Setup):
		last := r.extend(rev)
		last.Setup = last.Setup || by == setup
		last.count(by)
	case by == setup || by == server || by == renewal || by == report:
		if n > 0 && !r.list[n-1].counts() && r.open < n {
			r.list = r.list[:n-1]
		}
		drop := max(0, len(r.list)+1-keptRuns)
		r.list, r.open = append(r.list[drop:], Run{First: rev, Last: rev, Setup: by == setup}), max(0, r.open-drop)
		r.next = true
		r.list[len(r.list)-1].count(by)
	default:
		// Revisions that are hidden from this user belong to the start, too: otherwise they would take space on the axis.
		if r.next && n == 1 && r.list[0].Start() {
			r.list[0].Last = rev - 1
		}
		r.next = false
	}
	switch by {
	case setup:
		r.open = len(r.list)
	case anyone:
		r.open = 0
	}
	r.read = rev
}

// count counts a commit.
func (r *Run) count(by maker) {
	switch by {
	case server:
		r.Own++
	case renewal:
		r.Renewed++
	case report:
		r.Reported++
	}
}

// extend has the last run end with a revision.
func (r *runs) extend(rev int64) *Run {
	last := &r.list[len(r.list)-1]
	last.Last, r.next = rev, true
	return last
}

// inEveryNamespace reports whether controllers make an object in every new namespace.
func inEveryNamespace(o Object) bool {
	return o.Resource == "serviceaccounts" && o.Name == "default" ||
		o.Resource == "configmaps" && o.Name == "kube-root-ca.crt"
}

// aggregated reports whether the rules of a ClusterRole are filled in by a controller, in every cluster with RBAC.
func aggregated(name string) bool { return name == "admin" || name == "edit" || name == "view" }

// ownObject reports whether servers create an object by themselves: every cluster has it when it begins, or one with
// RBAC has, or a room.
func ownObject(o Object) bool {
	of := o.Name
	if o.Resource != "namespaces" && o.Namespace != "" {
		of = o.Namespace
	}
	if of == "default" || of == "kube-system" || of == "kube-public" || of == "kube-node-lease" {
		switch o.Resource {
		case "namespaces":
			return true
		case "serviceaccounts", "configmaps":
			return inEveryNamespace(o) || o.Name == "kube-apiserver-legacy-service-account-token-tracking"
		case "services", "endpoints", "endpointslices":
			return o.Name == "kubernetes"
		case "controlplanes", "rooms":
			return true
		}
	}
	switch o.Resource {
	case "apiservices", "flowschemas", "prioritylevelconfigurations", "servicecidrs", "roomtokens":
		return true
	case "members":
		return o.Name == "teacher"
	case "ipaddresses":
		return o.Name == "10.96.0.1" // of the Service kubernetes
	}
	return strings.HasPrefix(o.Name, "system-") || strings.HasPrefix(o.Name, "system:") ||
		o.Group == "rbac.authorization.k8s.io" && (aggregated(o.Name) || o.Name == "cluster-admin" ||
			strings.HasPrefix(o.Namespace, "kube-") || strings.HasPrefix(o.Name, wellknown.Group+":"))
}
