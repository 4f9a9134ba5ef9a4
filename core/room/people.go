package room

import (
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// people are the Members as the last writes have left them, which may not be durable yet. So two writes at
// the same time can neither take the last two teachers from a room nor give two members one name.
type people struct {
	// byKey are the members, byName the keys of those who have a name, as fold returns it.
	byKey    map[string]person
	byName   map[string]string
	teachers int
}

// A person is a Member, as far as others depend on it. One that is being deleted is no teacher any more.
type person struct {
	name    string
	teacher bool
}

// personOf reads a stored Member; nil means none.
func personOf(value []byte) (person, string) {
	obj, _, err := object.Decode(value, Members.Type())
	if err != nil {
		return person{}, "" // impossible: the server has encoded it
	}
	shown := object.GetString(obj, "spec", "displayName")
	return person{fold(shown), object.GetString(obj, "spec", "role") == Teacher && object.DeletionTimestamp(obj) == ""},
		shown
}

// lastTeacher is why a write is refused that would leave a room without a teacher.
const lastTeacher = "it is the only teacher: the room needs another one first"

// judge refuses to take the last teacher away, and, if names count, to give a name a second time.
func (p *people) judge(w *mvcc.Write, names bool) error {
	was, now, shown := p.byKey[w.Key], person{}, ""
	if !w.Deletes {
		now, shown = personOf(w.Value)
	}
	gr := status.GroupResource{Group: group, Resource: Members.Plural}
	if was.teacher && !now.teacher && p.teachers == 1 {
		return status.NewForbidden(gr, w.Key, lastTeacher)
	}
	if !names || w.Deletes || now.name == was.name {
		return nil
	}
	other, taken := p.byName[now.name]
	if taken = taken && other != w.Key; !taken && (now.teacher || now.name != teachersName) {
		return nil
	}
	text := fmt.Sprintf("someone in this room already has the name %q, or a similar one: choose another, such as %q",
		shown, p.free(shown))
	return status.New(http.StatusConflict, status.Conflict, text, &status.Details{
		Group: group, Kind: Members.Plural, Name: w.Key,
	})
}

// free returns a name like the one that is taken.
func (p *people) free(shown string) string {
	for n := 2; ; n++ {
		name := fmt.Sprintf("%s %d", shown, n)
		if _, taken := p.byName[fold(name)]; !taken {
			return name
		}
	}
}

// count notes an event, or that it was discarded.
func (p *people) count(e *mvcc.Event, change int) {
	now := e.Version
	if change < 0 {
		now = e.Prev
	}
	if now == nil || now.Deleted {
		p.set(e.Key, nil)
		return
	}
	one, _ := personOf(now.Value)
	p.set(e.Key, &one)
}

func (p *people) set(key string, now *person) {
	if was, there := p.byKey[key]; there {
		if was.teacher {
			p.teachers--
		}
		if p.byName[was.name] == key {
			delete(p.byName, was.name)
		}
		delete(p.byKey, key)
	}
	if now == nil {
		return
	}
	if now.teacher {
		p.teachers++
	}
	p.byKey[key] = *now
	if _, taken := p.byName[now.name]; !taken { // two of a room from before names were unique
		p.byName[now.name] = key
	}
}
