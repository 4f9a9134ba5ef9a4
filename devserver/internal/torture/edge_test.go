package torture

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/edgetest"
	"github.com/tabernetes/tabernetes/devserver/internal/room/edge"
)

var (
	edgeKills = flag.Int("edge-kills", 5, "how often the engine of the rooms at the edge is killed")
	edgeSlow  = flag.Bool("edge-slow", false, "have strace make its syncs slow at some starts")
)

// A member is a client of a room: its token is in each request.
type member struct {
	http.RoundTripper
	token string
}

func (m member) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+m.token)
	return m.RoundTripper.RoundTrip(r)
}

// A door leads into one room: the first server opens it.
type door struct{ Path, Token string }

func (d *door) enter(s *Server) error {
	opens := d.Path == ""
	if opens {
		a, err := s.do("POST", "/rooms", "application/json", "{}")
		if err == nil && a.code != http.StatusCreated {
			err = fmt.Errorf("a room is answered %d %s", a.code, a.body)
		}
		if err == nil {
			err = json.Unmarshal(a.body, d)
		}
		if err != nil {
			return err
		}
	}
	s.URL += string(bytes.TrimSuffix([]byte(d.Path), []byte("/")))
	s.Client.Transport = member{s.Client.Transport, d.Token}
	if !opens {
		return nil
	}
	// Writers make more requests than a member has as its share.
	a, err := s.do("PATCH", "/apis/sandbox.tabernetes.dev/v1/rooms/default", "application/merge-patch+json",
		`{"spec":{"quotas":{"requestsPerSecond":10000,"objectsPerMember":100000,"bytesPerMember":16777216}}}`)
	if err == nil && a.code != http.StatusOK {
		err = fmt.Errorf("the quotas are answered %d %s", a.code, a.body)
	}
	return err
}

// TestKillsAtTheEdge kills workerd while a room is written to: its objects keep what they acknowledge in SQLite.
func TestKillsAtTheEdge(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := edge.Binary(root); err != nil {
		t.Skip(err)
	}
	binary, err := Build(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out := edgetest.Folder(t, root)
	o := Options{
		Binary: binary, Data: t.TempDir(), Kills: *edgeKills, Seed: *seed, Log: t.Logf,
		Arguments: []string{"edge", "--no-build", "--out", out}, Enter: new(door).enter,
	}
	// Slow syncs take strace here, and under it the engine has once stopped to answer for good.
	if *edgeSlow && tracing() {
		o.Slow, o.Slowness = *slow, ByTracing
	}
	ledger, figures := report(t, "at the edge", o)
	if ledger.Any() || figures.Acknowledged == 0 || figures.Shown == 0 {
		t.Fail()
	}
}
