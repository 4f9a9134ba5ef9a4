package room

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// A Link is an invitation of the room: its token lets anybody join in its role.
type Link struct {
	Name string // of the RoomToken
	Role string
	// Token is what the link has in it; "": another page made it, and no other knows.
	Token   string
	Created time.Time
	Joined  int // how many of the members came by it
	Ended   bool
}

// Links returns the room's invitations by a list of RoomTokens, as JSON: first those by which one may join, then
// those that have ended, each in the order in which they were made. known are those that this page has made or
// seen; Members have to be read before. A link that nobody remembers and by which nobody came is not there.
func (s *State) Links(list string, known []Link) ([]Link, error) {
	var l struct {
		Items []struct {
			Metadata struct {
				Name              string
				CreationTimestamp time.Time
				DeletionTimestamp *time.Time
			}
			Spec struct{ Invites string }
		}
	}
	if err := json.Unmarshal([]byte(list), &l); err != nil {
		return nil, err
	}
	var all []Link
	at := func(name string) *Link {
		i := slices.IndexFunc(all, func(k Link) bool { return k.Name == name })
		if i < 0 {
			return nil
		}
		return &all[i]
	}
	for _, item := range l.Items {
		if m := item.Metadata; item.Spec.Invites != "" && m.DeletionTimestamp == nil {
			all = append(all, Link{Name: m.Name, Role: item.Spec.Invites, Created: m.CreationTimestamp})
		}
	}
	for _, k := range known {
		if open := at(k.Name); open != nil {
			open.Token = k.Token
			continue
		}
		k.Joined, k.Ended = 0, true
		all = append(all, k)
	}
	for _, m := range s.Members {
		if m.Invitation == "" {
			continue
		}
		if at(m.Invitation) == nil {
			all = append(all, Link{Name: m.Invitation, Role: m.Role, Created: m.Joined, Ended: true})
		}
		at(m.Invitation).Joined++
	}
	slices.SortStableFunc(all, func(a, b Link) int {
		if a.Ended != b.Ended {
			if a.Ended {
				return 1
			}
			return -1
		}
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}
