package timeline

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/tabernetes/tabernetes/web/revisions"
)

const (
	keptLinks   = 40_000
	keptWritten = 40_000 // marks of a row
	// farthest is how many writes of programs a chain is followed through.
	farthest = 4000
)

// Programs knows what the programs of the control plane wrote, as the IDs of their requests say (revisions.Commit):
// the page's tap does not see them. Adding costs O(1).
type Programs struct {
	List []*Program // in their order on the stage
	// Own is what requests of this page wrote, since there are programs.
	Own    Series
	links  []Link // by Rev
	newest int64  // the write that began the newest Rollout
}

// A Program is one program of the control plane, and a client of the API.
type Program struct {
	Name    string
	Marks   Series // what all of it wrote
	Writers []*Writer
	// Beats counts the writes that say only that the program is there.
	Beats int
}

// A Writer is a part of a program that has a separate client, such as a controller.
type Writer struct {
	Name  string
	Marks Series
}

// A Link is a write of a program, and the event that it came after.
type Link struct {
	Rev, After  int64 // see revisions.Origin
	Begin       int64 // the first of the writes before it, which no program made; 0: none is known
	Program     *Program
	Writer      *Writer // nil: the program has but one client
	Subresource string
}

// By returns who made the write: "deployment of kube-controller-manager".
func (l Link) By() string {
	if l.Writer != nil {
		return l.Writer.Name + " of " + l.Program.Name
	}
	return l.Program.Name
}

// Second is how the name of a program's second replica ends.
const Second = "-2"

// order is that of programs: controllers, then the scheduler, then kubelets. Others are behind them. A second replica
// is below the first.
var order = []string{"kube-controller-manager", "kube-scheduler", "kubelets"}

func rank(name string) int {
	if i := slices.Index(order, strings.TrimSuffix(name, Second)); i >= 0 {
		return i
	}
	return len(order)
}

// add takes a commit, which is newer than all before it; own: a request of this page made it.
func (p *Programs) add(c *revisions.Commit, k Mark, own bool) {
	from, ok := c.Origin()
	if !ok {
		if own && len(p.List) > 0 {
			p.Own.Add(k)
		}
		p.begins(c.Group, c.Resource, k.Rev, nil)
		return
	}
	program := p.program(from.Program)
	if c.Resource == "leases" || c.Resource == "events" {
		program.Beats++ // it renews a Lease, or tells what it has done
		return
	}
	program.Marks.Add(k)
	l := Link{Rev: k.Rev, Program: program, Subresource: from.Subresource}
	if from.After < k.Rev {
		l.After, l.Begin = from.After, p.Begin(from.After)
	}
	if from.Client != "" {
		l.Writer = program.writer(from.Client)
		l.Writer.Marks.Add(k)
	}
	if len(p.links) >= keptLinks+keptLinks/4 {
		p.links = slices.Clone(p.links[len(p.links)-keptLinks:])
	}
	p.links = append(p.links, l)
	p.begins(c.Group, c.Resource, k.Rev, &l)
}

func (p *Programs) program(name string) *Program {
	for _, known := range p.List {
		if known.Name == name {
			return known
		}
	}
	if len(p.List) == 0 {
		p.Own = NewSeries(keptWritten)
	}
	made := &Program{Name: name, Marks: NewSeries(keptWritten)}
	p.List = append(p.List, made)
	slices.SortStableFunc(p.List, func(a, b *Program) int {
		return cmp.Or(rank(a.Name)-rank(b.Name), len(a.Name)-len(b.Name))
	})
	return made
}

func (p *Program) writer(name string) *Writer {
	for _, known := range p.Writers {
		if known.Name == name {
			return known
		}
	}
	made := &Writer{Name: name, Marks: NewSeries(keptWritten)}
	p.Writers = append(p.Writers, made)
	return made
}

// Of returns the link of a revision; false if no program wrote it.
func (p *Programs) Of(rev int64) (Link, bool) {
	if i := p.from(rev); i < len(p.links) && p.links[i].Rev == rev {
		return p.links[i], true
	}
	return Link{}, false
}

// from returns the index of the first link at or after rev.
func (p *Programs) from(rev int64) int {
	return sort.Search(len(p.links), func(i int) bool { return p.links[i].Rev >= rev })
}

// Chain returns the revisions that a revision came after, each after the one before it, then the revision itself, and
// then the longest row of writes that came after it. It is nil if no program took part.
//
// It costs the links from there on, farthest of them at most.
func (p *Programs) Chain(rev int64) []int64 {
	chain := []int64{rev}
	for l, ok := p.Of(rev); ok && l.After > 0 && len(chain) < farthest; l, ok = p.Of(l.After) {
		chain = append(chain, l.After)
	}
	slices.Reverse(chain)
	type step struct {
		before int64
		long   int
	}
	steps := map[int64]step{rev: {}}
	end := rev
	for i := p.from(rev + 1); i < min(len(p.links), p.from(rev+1)+farthest); i++ {
		l := p.links[i]
		if s, ok := steps[l.After]; ok && l.After > 0 {
			steps[l.Rev] = step{l.After, s.long + 1}
			if s.long+1 > steps[end].long {
				end = l.Rev
			}
		}
	}
	var later []int64
	for at := end; at != rev; at = steps[at].before {
		later = append(later, at)
	}
	slices.Reverse(later)
	if chain = append(chain, later...); len(chain) == 1 {
		return nil
	}
	return chain
}

// Between returns the links of revisions from lo to hi.
func (p *Programs) Between(lo, hi int64) []Link { return p.links[p.from(lo):p.from(hi+1)] }
