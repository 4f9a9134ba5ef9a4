package live

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A view is what a client knows of a room.
type view struct {
	Members  map[string]string
	Progress map[string]string
	Show     string
	synced   bool
}

// apply reads frames.
func (v *view) apply(t *testing.T, text []byte) {
	for line := range strings.Lines(string(text)) {
		var f struct {
			Type           string
			Member         json.RawMessage
			Show, Progress json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		switch f.Type {
		case "SYNCED":
			v.synced = true
		case "SHOW":
			v.Show = string(f.Show)
		case "PROGRESS":
			var name string
			_ = json.Unmarshal(f.Member, &name)
			if v.Progress[name] = string(f.Progress); string(f.Progress) == "null" {
				delete(v.Progress, name)
			}
		case "MEMBER":
			var m struct {
				Name string
				Gone bool
			}
			_ = json.Unmarshal(f.Member, &m)
			if v.Members[m.Name] = string(f.Member); m.Gone {
				delete(v.Members, m.Name)
				delete(v.Progress, m.Name)
			}
		}
	}
}

// TestEveryFollowerArrives makes random changes with followers who read now and then, a little at a
// time: all of them end with what one knows who comes last.
func TestEveryFollowerArrives(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		h, _ := newHub(teacher)
		type client struct {
			*Follower
			view
		}
		var all []*client
		join := func() *client {
			f := follow(t, h, teacher)
			c := &client{f, view{Members: map[string]string{}, Progress: map[string]string{}}}
			all = append(all, c)
			return c
		}
		for range 400 {
			name := fmt.Sprint("m", random.IntN(40))
			switch random.IntN(8) {
			case 0:
				h.Remove(name, false)
			case 1, 2:
				h.Set(Member{name, strings.Repeat("x", random.IntN(2000)), "learner", false})
			case 3:
				h.Report(name, &Progress{Step: random.Int64N(100)})
			case 4:
				h.Report(name, nil)
			case 5:
				h.Show("teacher", fmt.Appendf(nil, `{"revision":%d}`, random.IntN(100)))
			case 6:
				if len(all) < 10 {
					join()
				}
			case 7:
				if len(all) > 0 {
					c := all[random.IntN(len(all))]
					c.apply(t, []byte(read(t, c.Follower)))
				}
			}
		}
		last := join()
		for _, c := range all {
			for c.read < h.last {
				c.apply(t, []byte(read(t, c.Follower)))
			}
			if !c.view.synced {
				t.Errorf("seed %d: a follower is not told that it has all", seed)
			}
		}
		for _, c := range all {
			if !reflect.DeepEqual(c.view, last.view) {
				t.Fatalf("seed %d: members %v, %v of them, %s; want %v, %v, %s", seed,
					slices.Sorted(maps.Keys(c.Members)), c.Progress, c.Show,
					slices.Sorted(maps.Keys(last.Members)), last.Progress, last.Show)
			}
		}
	}
}
