package timeline

import "slices"

// Workloads are the types whose objects have Pods made for them: those before whose objects have others of these made.
var Workloads = [...]string{"deployments.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch",
	"replicasets.apps", "replicationcontrollers"}

// workload returns the place of a type among Workloads; -1: it is not there.
func workload(group, resource string) int {
	if group != "" {
		resource += "." + group
	}
	return slices.Index(Workloads[:], resource)
}

// A Rollout is what programs have written about a workload after a write that none of them made.
type Rollout struct {
	Object  Object
	Begin   Mark   // the write of somebody else
	Last    Mark   // the newest one
	Writes  int    // with the one that it begins with
	Clients int    // that made them
	Pods    []Mark // that were created, in the order of their age; the newest mostPods
}

// mostPods is how many Pods of a Rollout are known.
const mostPods = 100

// Begin returns the write of somebody else that a write of a program came after, by way of others; rev itself if no
// program made it.
func (p *Programs) Begin(rev int64) int64 {
	if l, ok := p.Of(rev); ok && l.Begin > 0 {
		return l.Begin
	}
	return rev
}

// begins keeps which write began the newest Rollout. It takes a commit of a type, and its link, if a program made it.
func (p *Programs) begins(group, resource string, rev int64, l *Link) {
	if l != nil {
		rev = l.Begin
	}
	if len(p.List) > 0 && workload(group, resource) >= 0 {
		p.newest = max(p.newest, rev)
	}
}

// Rollout returns the one that began with a write, as it was at the revision until: 0: the newest one. It is false if
// no workload has been written.
//
// It costs the links from there on.
func (m *Model) Rollout(begin, until int64) (r Rollout, ok bool) {
	p := &m.Programs
	if begin == 0 {
		begin = p.newest
	}
	var first bool
	if r.Begin, first = m.Commits.Find(begin); !first || begin > until {
		return r, false
	}
	r.Last, r.Writes, r.Clients = r.Begin, 1, 1
	rank := len(Workloads)
	about := func(k Mark) {
		o := m.Objects.Get(k.Obj)
		if i := workload(o.Group, o.Resource); i >= 0 && i < rank {
			rank, r.Object = i, o
		}
	}
	about(r.Begin)
	var clients []*Program
	for i := p.from(begin + 1); i < len(p.links) && p.links[i].Rev <= until; i++ {
		l := &p.links[i]
		if l.Begin != begin {
			continue
		}
		r.Writes++
		if !slices.Contains(clients, l.Program) {
			clients = append(clients, l.Program)
		}
		k, known := m.Commits.Find(l.Rev)
		if !known {
			continue
		}
		r.Last = k
		about(k)
		if o := m.Objects.Get(k.Obj); k.Kind == Added && o.Group == "" && o.Resource == "pods" {
			r.Pods = append(r.Pods, k)
		}
	}
	r.Clients += len(clients)
	r.Pods = r.Pods[max(0, len(r.Pods)-mostPods):]
	return r, rank < len(Workloads)
}
