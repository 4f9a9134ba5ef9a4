package room

import "encoding/json"

// A Share is what one member may have of the room at most. Zero: there is no such bound.
type Share struct {
	Objects int64 `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

// Usage is what a member takes of the room.
type Usage struct {
	Objects           int64   `json:"objects"`
	Bytes             int64   `json:"bytes"` // of the objects as JSON
	RequestsPerSecond float64 `json:"requestsPerSecond"`
	Watches           int64   `json:"watches"`
	Share             Share   `json:"share"`
}

// Part returns how much of the share is taken, from 0 to 1: of objects or of bytes, whichever is more.
func (u Usage) Part() float64 {
	part := 0.0
	if u.Share.Objects > 0 {
		part = float64(u.Objects) / float64(u.Share.Objects)
	}
	if u.Share.Bytes > 0 {
		part = max(part, float64(u.Bytes)/float64(u.Share.Bytes))
	}
	return min(max(part, 0), 1)
}

// Full is the part of a share from which on it counts as taken.
const Full = 0.9

// A Former member is gone, and has left objects.
type Former struct {
	Name  string
	Title string
	Usage Usage
}

// TakeUsage takes the answer of rooms/default/usage.
func (s *State) TakeUsage(answer string) error {
	var all struct {
		Members []struct {
			Name string `json:"name"`
			Gone bool   `json:"gone"`
			Usage
		}
		Share Share
	}
	if err := json.Unmarshal([]byte(answer), &all); err != nil {
		return err
	}
	s.Former = nil
	for _, u := range all.Members {
		usage := u.Usage
		switch m := s.Find(u.Name); {
		case u.Gone: // the frame that says so may come later
			if usage.Objects > 0 {
				s.Former = append(s.Former, Former{u.Name, s.Title(u.Name), usage})
			}
		case m != nil:
			if usage.Share == (Share{}) {
				usage.Share = all.Share
			}
			m.Usage = &usage
		}
	}
	return nil
}

// Flooded says that the member takes so much that others may come short.
func (m Member) Flooded() bool { return m.flooded }

// Floods brings up to date who floods the room: whose share is full, or who asks as often as perSecond allows in the
// long run (0: that is not known). It returns the titles of those who begin and of those who have ended; one ends only
// when clearly below, so that it does not change back and forth.
func (s *State) Floods(perSecond float64) (begun, ended []string) {
	for i := range s.Members {
		m := &s.Members[i]
		part, rate := Full, perSecond
		if m.flooded {
			part, rate = Full-0.1, perSecond/2
		}
		now := m.Usage != nil && (m.Usage.Part() >= part || perSecond > 0 && m.Usage.RequestsPerSecond >= rate)
		switch {
		case now && !m.flooded:
			begun = append(begun, m.Title())
		case !now && m.flooded:
			ended = append(ended, m.Title())
		}
		m.flooded = now
	}
	return begun, ended
}

// Flooding returns the members who flood the room.
func (s *State) Flooding() []Member {
	var all []Member
	for _, m := range s.Members {
		if m.flooded {
			all = append(all, m)
		}
	}
	return all
}
