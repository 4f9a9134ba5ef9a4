package room_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/room"
)

// known returns a handler whose requests are of one who has shown the token of a hash before.
func (c classroom) known(hash string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.ServeHTTP(w, r.WithContext(auth.WithTokenHash(r.Context(), hash)))
	})
}

// TestResume continues with streams of a member of whose token only the hash is known, until the token is
// gone. Clients cannot say that they have one.
func TestResume(t *testing.T) {
	c := newClassroom(t, Options{Clock: clock.Real()})
	ada, token := c.join("learner", "Ada")
	hash := auth.HashOf(token)
	streams := map[string]*tail{}
	for path, want := range map[string]string{
		rooms + "/default/relay?beats=false":  `"name":"member:` + ada + `"`,
		rooms + "/default/follow?beats=false": `"you":"` + ada + `"`,
	} {
		s := follow(t, c.known(hash), path)
		if got := s.until("SYNCED"); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
		streams[path] = s
		other := follow(t, c.known(auth.HashOf("chalk")), path)
		if got := other.until("SYNCED"); strings.Contains(got, want) {
			t.Errorf("%s: the teacher is told the same: %s", path, got)
		}
	}
	get := rooms + "/default/relay"
	for _, header := range []string{"Bearer " + hash, "Hash " + hash, "Bearer"} {
		if code, _ := requestAs(c.Cluster, "Authorization: "+header, "GET", get, ""); code != 401 {
			t.Errorf("with the header %q: %d", header, code)
		}
	}
	c.expect(200, "chalk", "DELETE", members+"/"+ada, "")
	if w := apitest.Do(c.known(hash), "GET", get, ""); w.Code != 401 {
		t.Errorf("a member that is gone: %d", w.Code)
	}
	for path, s := range streams {
		if !s.ended(`"SYNCED"`) {
			t.Errorf("%s begins again", path)
		}
	}
}

// TestLive starts a room with what followers of it received before: it has the same epoch, and shows
// the same. Other frames are no members'.
func TestLive(t *testing.T) {
	c := openClassroom(t, Options{Clock: clock.Real()}, room.Options{
		TeacherToken: "chalk", Live: []byte(`{"type":"HELLO","epoch":"before","you":"teacher"}
{"type":"SHOW","show":{"by":"teacher","view":{"panel":"stage"}}}
{"type":"PROGRESS","member":"gone","progress":{"lesson":"watch"}}
`)})
	_, frames := c.follow("chalk")
	got := fmt.Sprint(frames)
	if !strings.Contains(got, "epoch:before") || !strings.Contains(got, "panel:stage") || len(frames) != 3 {
		t.Error(got)
	}
}
