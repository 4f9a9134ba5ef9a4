// Package roomtest opens rooms for tests, makes requests of their members, and looks into their clusters. Only tests
// import it.
//
// Each cluster is closed when its test ends; one in memory takes some milliseconds to start.
package roomtest

import (
	"sync/atomic"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/room"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// The paths of a room's resources.
const (
	Rooms   = "/apis/" + wellknown.Group + "/v1/rooms"
	Members = "/apis/" + wellknown.Group + "/v1/members"
	Tokens  = "/apis/" + wellknown.Group + "/v1/roomtokens"
)

// chalk is the token of the first teacher.
const chalk = "chalk"

// A Cluster is one whose inside a test sees.
type Cluster struct {
	*core.Cluster
	spy *spy
}

// Start starts a cluster, on a clock.Manual if the options have no clock. It is closed when the test ends.
func Start(t testing.TB, o core.Options) Cluster {
	t.Helper()
	if o.Clock == nil {
		o.Clock = clock.NewManual(apitest.Start)
	}
	if o.Rand == nil {
		o.Rand = apitest.Randomness()
	}
	c := Cluster{spy: new(spy)}
	o.Extensions = append(o.Extensions, c.spy)
	var err error
	if c.Cluster, err = core.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Instance returns the current instance. While a reset puts it in its place, requests may still get answers of the one
// before.
func (c Cluster) Instance() *extension.Instance { return c.spy.current.Load() }

// A spy is an extension that adds nothing to a cluster, and has its current instance.
type spy struct {
	current atomic.Pointer[extension.Instance]
}

// Extend adds what notes the instance when it takes its place: some that are assembled never do.
func (s *spy) Extend(i *extension.Instance) (extension.Additions, error) {
	return extension.Additions{Start: func() { s.current.Store(i) }}, nil
}

// A Classroom is a room and the test that makes its requests.
type Classroom struct {
	*testing.T
	Cluster
	Room *room.Extension
}

// New opens a room whose teacher has the token "chalk".
func New(t *testing.T, o core.Options) Classroom {
	t.Helper()
	return Open(t, o, room.Options{TeacherToken: chalk})
}

// Open opens a room.
func Open(t *testing.T, o core.Options, options room.Options) Classroom {
	t.Helper()
	opened := room.NewExtension(options)
	o.Extensions = append(o.Extensions, opened)
	return Classroom{t, Start(t, o), opened}
}

// Expect makes a request with a token, and returns the answer, which has to have a code.
func (c Classroom) Expect(code int, token, method, path, body string) map[string]any {
	c.Helper()
	return apitest.Must(c.T, c.Cluster, code, method, path, body, "Authorization", "Bearer "+token)
}

// Join has the teacher of New invite somebody, who becomes a member with a role, and returns its name and token.
func (c Classroom) Join(role, displayName string) (name, token string) {
	c.Helper()
	invited := c.Expect(201, chalk, "POST", Rooms+"/default/invite", `{"role":"`+role+`"}`)
	joined := c.Expect(201, objecttest.At(invited, "status.token").(string), "POST", Rooms+"/default/join",
		`{"displayName":"`+displayName+`"}`)
	return objecttest.At(joined, "spec.member").(string), objecttest.At(joined, "status.token").(string)
}
