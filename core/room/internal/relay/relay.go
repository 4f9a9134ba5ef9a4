package relay

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// A Relay serves the streams of a room. Set its fields before use.
type Relay struct {
	Registry *registry.Registry
	// Clock is the cluster's, and Host the host's.
	Clock *clock.Adjustable
	Host  clock.Clock
	// Access returns the authenticator and authorizer of the cluster.
	Access func(context.Context) (*auth.Access, error)
	// Header identifies the cluster.
	Header *persist.Header

	// roles counts the commits that may change the rights of users, and users those that may change who
	// a user is.
	roles, users atomic.Int64

	mu    sync.Mutex
	feeds map[string]*feed
	// count is how many feeds there are.
	count atomic.Int32
	news  news
}

// Observe is called for every commit, in order, when everything else has observed it, under the
// store's lock.
func (r *Relay) Observe(bucket string) {
	switch {
	case strings.HasPrefix(bucket, auth.Group+"/"), bucket == controlPlanes:
		r.roles.Add(1)
	case strings.HasPrefix(bucket, wellknown.Group+"/"):
		r.users.Add(1)
	}
}

// controlPlanes is the bucket of the settings, which switch RBAC on and off.
const controlPlanes = wellknown.Group + "/v1/controlplanes"

// Act answers GET .../rooms/NAME/relay.
func (r *Relay) Act() apiserver.Act {
	return apiserver.Act{Serve: r.serve, Produces: "application/json", Streams: true}
}

func (r *Relay) serve(w http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	_, err := r.Registry.Get(req.Context(), registry.Target{Resource: c.Resource, Name: c.Name})
	if err != nil {
		return err
	}
	q := req.URL.Query()
	s := &stream{
		Relay: r, member: auth.UserOf(req.Context()), credentials: auth.CredentialsOf(req),
		beats: q.Get("beats") != "false",
	}
	if text := q.Get("since"); text != "" {
		since, err := strconv.ParseUint(text, 10, 62)
		if err != nil {
			return status.NewBadRequest("since: " + err.Error())
		}
		s.since = int64(since)
	}
	if err := s.open(req.Context(), q.Get("cluster"), q.Get("rights")); err != nil {
		return err
	}
	defer s.close()
	return apiserver.Stream(req.Context(), w, s.next)
}

// watchHead returns a watcher of all commits from now on.
func (r *Relay) watchHead() (*mvcc.Watcher, error) {
	for {
		w, err := r.Registry.Store.Watch(mvcc.Scope{}, r.Registry.Store.Status().Head)
		if !errors.Is(err, mvcc.ErrCompacted) {
			return w, err
		}
	}
}

// enter returns the feed for a set of rights, and adds a follower.
func (r *Relay) enter(g *Grants) (*feed, error) {
	key := g.key()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.attend(); err != nil {
		return nil, err
	}
	f := r.feeds[key]
	if f == nil {
		cursor, err := r.watchHead()
		if err != nil {
			r.depart()
			return nil, err
		}
		f = &feed{
			relay: r, key: key, grants: g, cursor: cursor, end: cursor.Revision(),
			types: map[string][]groupResource{},
		}
		if r.feeds == nil {
			r.feeds = map[string]*feed{}
		}
		r.feeds[key] = f
		r.count.Store(int32(len(r.feeds)))
	}
	f.followers++
	return f, nil
}

// leave removes a follower of a feed.
func (r *Relay) leave(f *feed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.depart()
	if f.followers--; f.followers == 0 {
		delete(r.feeds, f.key)
		r.count.Store(int32(len(r.feeds)))
		f.mu.Lock()
		defer f.mu.Unlock()
		f.cursor.Close()
	}
}

// sameUser reports whether two users are the same, with the same groups.
func sameUser(a, b *auth.User) bool { return reflect.DeepEqual(a, b) }
