package timeline

// keptSetups bounds the setups kept: the newest.
const keptSetups = 40

// A Setup is a run of revisions in which a lesson or a scene was set up. In between may be revisions that controllers
// made, and none that another request of the page did.
type Setup struct{ First, Last int64 }

// Setups are the setups of lessons and scenes, oldest first.
type Setups struct {
	List []Setup
	open bool // the last one may continue
}

// add takes a revision that a request of the page made.
func (s *Setups) add(rev int64, setup bool) {
	switch n := len(s.List); {
	case !setup:
	case s.open:
		s.List[n-1].Last = rev
	default:
		s.List = append(s.List[max(0, n+1-keptSetups):], Setup{rev, rev})
	}
	s.open = setup
}
