package live

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestEnds lists what ends a stream of ada's, and what does not.
func TestEnds(t *testing.T) {
	all, none := func(string) bool { return true }, func(string) bool { return false }
	gone := lines(`{"type":"MEMBER","member":{"name":"ada","gone":true}}`)
	for name, test := range map[string]struct {
		do   func(*Hub)
		ends bool
		last string // what is read before the end
	}{
		"gone":          {func(h *Hub) { h.Remove("ada", false) }, true, gone},
		"another role":  {func(h *Hub) { h.Set(Member{"ada", "Ada", "spectator", false}) }, true, ""},
		"gone and back": {func(h *Hub) { h.Remove("ada", false); h.Set(ada) }, true, gone},
		"left": {func(h *Hub) { h.Remove("ada", true) }, true,
			lines(`{"type":"MEMBER","member":{"name":"ada","gone":true,"left":true}}`)},
		"token revoked":         {func(h *Hub) { h.Revoke("t") }, true, ""},
		"not among the members": {func(h *Hub) { h.Replace([]Member{teacher}, all) }, true, gone},
		"token not valid":       {func(h *Hub) { h.Replace([]Member{teacher, ada}, none) }, true, ""},
		"another token":         {func(h *Hub) { h.Revoke("other") }, false, ""},
		"another name":          {func(h *Hub) { h.Set(Member{"ada", "A.", "learner", false}) }, false, ""},
		"another member":        {func(h *Hub) { h.Remove("teacher", false) }, false, ""},
		"replaced by the same": {func(h *Hub) {
			h.Replace([]Member{teacher, ada}, func(token string) bool { return token == "t" })
		}, false, ""},
	} {
		h, _ := newHub(teacher, ada)
		f := follow(t, h, ada)
		read(t, f)
		test.do(h)
		h.Set(Member{"later", "Later", "learner", false})
		b, err := f.Next(context.Background(), nil, nil)
		if test.ends && (err != io.EOF || string(b) != test.last) {
			t.Errorf("%s: after that %q is read, %v", name, b, err)
		}
		if !test.ends && (err != nil || !strings.Contains(string(b), "later")) {
			t.Errorf("%s: %q, %v", name, b, err)
		}
		f.Close()
		if m := h.members["ada"]; m != nil && m.here != 0 || len(h.followers) != 0 {
			t.Errorf("%s: %d followers are left", name, len(h.followers))
		}
	}
}

// TestTheReasonComesFirst ends a follower's request in the moment in which its member is removed: it gets the frame
// that says so all the same, whether it waits for changes or for the time of its next reading.
func TestTheReasonComesFirst(t *testing.T) {
	for _, waits := range []bool{true, false} {
		h, manual := newHub(teacher, ada)
		f := follow(t, h, ada)
		read(t, f)
		if waits {
			manual.Advance(Pause)
		}
		ctx, cancel := context.WithCancel(context.Background())
		h.Remove("ada", false)
		cancel()
		if b, err := f.Next(ctx, nil, nil); err != io.EOF || !strings.Contains(string(b), `"gone":true`) {
			t.Errorf("%q, %v", b, err)
		}
		if b, err := f.Next(ctx, nil, nil); err == nil || len(b) > 0 {
			t.Errorf("after its end it gets %q, %v", b, err)
		}
	}
}
