// Package room is what a page knows of the room that it is in, from the frames of the room's follow
// stream: who is here, what is shown, how far everybody is, who takes how much. What only the room's
// objects tell, since when somebody is a member and by which link, is read from lists of them. There is no browser
// in it.
//
// Invariant: members stay in the order in which they joined, whatever changes of them.
//
// Costs: a frame costs the decoding of one line, a list that of all its objects.
package room

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Path is that of the room in its API.
const Path = "/apis/" + wellknown.Group + "/v1/rooms/default"

// Silence is how long a stream may be silent before it counts as lost, in seconds: two beats and some
// time for them to arrive.
const Silence = 40

// A Member is somebody in the room.
type Member struct {
	Name        string
	DisplayName string
	Role        string
	Here        int  // how many pages of the member follow the room
	Gone        bool // of a frame: the member was deleted
	Left        bool // of such a frame: it has left by itself
	// Progress is what the member reports; nil: nothing.
	Progress *Progress `json:"-"`
	// Usage is what the member takes; nil: not known.
	Usage *Usage `json:"-"`
	// Joined is since when somebody is a member, and Invitation the name of the link by which: zero until a list
	// of the members was read, and for those who came by no link.
	Joined     time.Time `json:"-"`
	Invitation string    `json:"-"`
	// flooded says that the member takes so much that others may come short.
	flooded bool
}

// Title returns what the member is called.
func (m Member) Title() string { return cmp.Or(m.DisplayName, m.Name) }

// Progress is how far a member is in a lesson.
type Progress struct {
	Lesson string `json:"lesson"`
	Step   int    `json:"step"` // from 1; 0: none
	Steps  int    `json:"steps"`
	Right  int    `json:"right"` // predictions
	Wrong  int    `json:"wrong"`
	// Beliefs are the lesson's wrong predictions, Exam is how far the member is in an exam (web/course).
	Beliefs string `json:"beliefs,omitempty"`
	Exam    string `json:"exam,omitempty"`
}

// A View is what somebody looks at.
type View struct {
	Revision int64  `json:"revision"` // that is travelled to; 0: as it is now
	Selected string `json:"selected"` // "rev-57", or an object's reference; empty: nothing
	Panel    string `json:"panel"`    // of the dock
	Lesson   string `json:"lesson"`
	Step     int    `json:"step"` // from 0
}

// A Show is the view that is shown to all.
type Show struct {
	By   string
	View View
}

// The roles that the page treats differently.
const (
	Teacher   = "teacher"
	Learner   = "learner"
	Spectator = "spectator"
)

// State is the room as last received. The zero State is that before any frame.
type State struct {
	Epoch, You, Role string
	// Members are in the order in which they joined.
	Members []Member
	// Former are those who are gone and have left objects, as last asked.
	Former []Former
	// Show is what is shown; nil: nothing.
	Show *Show
	// Synced says that what was there at first has all been received.
	Synced bool

	told map[string]bool   // members of the present stream, until it is synced
	gone map[string]string // what those were called who are gone
}

// A Change says what a frame was about.
type Change string

// The changes: the type of each frame.
const (
	Hello    Change = "HELLO"
	Joined   Change = "MEMBER"
	Shown    Change = "SHOW"
	Reported Change = "PROGRESS"
	Used     Change = "USAGE"
	Synced   Change = "SYNCED"
	Beat     Change = "BEAT"
	// Removed and Left are of the frame that says that this page's member is gone: a teacher has removed it, or it has
	// left by itself, from another page. No frame follows.
	Removed Change = "REMOVED"
	Left    Change = "LEFT"
)

// Take reads a line of the stream. It returns the type of the frame, and whether its epoch is another
// than the stream's before. Another line returns "".
func (s *State) Take(line string) (change Change, another bool) {
	var f struct {
		Type      Change
		Epoch     string
		You, Role string
		Member    json.RawMessage // a name in PROGRESS and USAGE
		Show      *Show
		Progress  *Progress
		Usage     *Usage
	}
	if json.Unmarshal([]byte(line), &f) != nil {
		return "", false
	}
	switch f.Type {
	case Hello:
		another = f.Epoch != s.Epoch
		s.Epoch, s.You, s.Role, s.Synced, s.told = f.Epoch, f.You, f.Role, false, map[string]bool{}
		if another {
			s.Show = nil
			for i := range s.Members {
				s.Members[i].Progress = nil
			}
		}
	case Joined:
		var m Member
		if json.Unmarshal(f.Member, &m) != nil {
			return "", false
		}
		s.member(m)
		switch {
		case !m.Gone || m.Name != s.You:
		case m.Left:
			return Left, false
		default:
			return Removed, false
		}
	case Shown:
		s.Show = f.Show
	case Reported, Used:
		var name string
		if json.Unmarshal(f.Member, &name) != nil {
			return "", false
		}
		m := s.Find(name)
		switch {
		case m == nil:
		case f.Type == Reported:
			m.Progress = f.Progress
		case f.Usage != nil:
			m.Usage = f.Usage
		}
	case Synced:
		s.Synced = true
		s.Members = slices.DeleteFunc(s.Members, func(m Member) bool { return !s.told[m.Name] })
	}
	return f.Type, another
}

// member takes what a frame says of a member.
func (s *State) member(m Member) {
	if s.told != nil {
		s.told[m.Name] = !m.Gone
	}
	old := s.Find(m.Name)
	switch {
	case m.Gone:
		if old != nil {
			if s.gone == nil {
				s.gone = map[string]string{}
			}
			s.gone[m.Name] = old.Title()
		}
		s.Members = slices.DeleteFunc(s.Members, func(o Member) bool { return o.Name == m.Name })
	case old != nil:
		old.DisplayName, old.Role, old.Here = m.DisplayName, m.Role, m.Here
	default:
		s.Members = append(s.Members, m) // the last one to join, unless a list says otherwise
	}
}

// TakeMembers takes a list of Members, as JSON: who joined when, and by which link.
func (s *State) TakeMembers(list string) error {
	var l struct {
		Items []struct {
			Metadata struct {
				Name              string
				CreationTimestamp time.Time
			}
			Spec struct{ Invitation string }
		}
	}
	if err := json.Unmarshal([]byte(list), &l); err != nil {
		return err
	}
	for _, item := range l.Items {
		if m := s.Find(item.Metadata.Name); m != nil {
			m.Joined, m.Invitation = item.Metadata.CreationTimestamp, item.Spec.Invitation
		}
	}
	slices.SortStableFunc(s.Members, func(a, b Member) int {
		if a.Joined.IsZero() != b.Joined.IsZero() { // not in the list yet: later than those who are
			return b.Joined.Compare(a.Joined)
		}
		// Who came by no link opened the room, or came when there was no other.
		byLink := func(m Member) int { return min(len(m.Invitation), 1) }
		return cmp.Or(a.Joined.Compare(b.Joined), byLink(a)-byLink(b), cmp.Compare(a.Name, b.Name))
	})
	return nil
}

// Find returns a member, or nil.
func (s *State) Find(name string) *Member {
	for i := range s.Members {
		if s.Members[i].Name == name {
			return &s.Members[i]
		}
	}
	return nil
}

// Title returns what a member is called, or was; the name of one who is not known, or is no member.
func (s *State) Title(name string) string {
	if m := s.Find(name); m != nil {
		return m.Title()
	}
	return cmp.Or(s.gone[name], name)
}

// Teachers returns how many members are teachers, and how many of them are here.
func (s *State) Teachers() (all, here int) {
	for _, m := range s.Members {
		if m.Role == Teacher {
			all++
			if m.Here > 0 {
				here++
			}
		}
	}
	return all, here
}

// Here returns how many members are here.
func (s *State) Here() int {
	n := 0
	for _, m := range s.Members {
		if m.Here > 0 {
			n++
		}
	}
	return n
}

// Leads reports whether this page's member may show its view, if leader is the room's: "" is any teacher.
func (s *State) Leads(leader string) bool {
	return s.You != "" && (leader == s.You || leader == "" && s.Role == Teacher)
}

// Shows reports whether this page's member is the one who shows its view.
func (s *State) Shows() bool { return s.Show != nil && s.Show.By == s.You }

// A Wait is the time between attempts to come back: it doubles, up to a bound. The zero Wait begins again.
type Wait struct{ last int }

// Next returns how many seconds to wait before the next attempt.
func (w *Wait) Next() int {
	w.last = min(max(1, w.last*2), 15)
	return w.last
}
