package torture

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
)

// A Version is an object from one revision on, or its deletion.
type Version struct {
	Key      string
	Revision int64
	Deleted  bool
	// Hash is that of the whole object.
	Hash uint64
	UID  string
	// Token names the write that made it: every write puts in a new one.
	Token string
}

func (v Version) String() string {
	if v.Deleted {
		return fmt.Sprintf("%d deletes %s", v.Revision, v.Key)
	}
	return fmt.Sprintf("%d %s = %s (%x)", v.Revision, v.Key, v.Token, v.Hash&0xffffff)
}

// parse reads an object as it is answered, listed or watched.
func parse(raw []byte) (Version, error) {
	var o struct {
		Metadata struct{ Name, UID, ResourceVersion string }
		Data     map[string][]byte
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return Version{}, err
	}
	revision, err := strconv.ParseInt(o.Metadata.ResourceVersion, 10, 64)
	if err != nil {
		return Version{}, fmt.Errorf("%s: %w", raw, err)
	}
	// Items of a list do not say what they are, and answers may be indented.
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return Version{}, err
	}
	delete(all, "kind")
	delete(all, "apiVersion")
	plain, err := json.Marshal(all)
	if err != nil {
		return Version{}, err
	}
	hash := fnv.New64a()
	_, _ = hash.Write(plain)
	return Version{
		Key: o.Metadata.Name, Revision: revision, Hash: hash.Sum64(),
		UID: o.Metadata.UID, Token: string(o.Data["token"]),
	}, nil
}

// A State has the objects that exist, by key.
type State map[string]Version

// apply changes the state by an event.
func (s State) apply(v Version) {
	if v.Deleted {
		delete(s, v.Key)
	} else {
		s[v.Key] = v
	}
}

// difference returns where two states differ; empty if they do not.
func (s State) difference(other State) string {
	for key, v := range s {
		if other[key] != v {
			return fmt.Sprintf("%v, and %v", v, other[key])
		}
	}
	for key, v := range other {
		if _, ok := s[key]; !ok {
			return fmt.Sprintf("no %s, and %v", key, v)
		}
	}
	return ""
}
