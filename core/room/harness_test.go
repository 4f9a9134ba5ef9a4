package room_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/room"
	"github.com/tabernetes/tabernetes/core/room/internal/roomtest"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	rooms        = roomtest.Rooms
	members      = roomtest.Members
	tokens       = roomtest.Tokens
	plane        = wellknown.ControlPlane
	configMaps   = apitest.ConfigMaps
	secrets      = "/api/v1/namespaces/default/secrets"
	clusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
)

var (
	at         = objecttest.At
	start      = apitest.Start
	call       = apitest.Call
	must       = apitest.Must
	requestAs  = apitest.RequestAs
	setSpec    = apitest.SetSpec
	configMap  = apitest.ConfigMap
	newCluster = roomtest.Start
)

// Options are those of the cluster that becomes a room.
type Options = core.Options

// A classroom is a room and the test that makes its requests.
type classroom struct{ roomtest.Classroom }

// newClassroom opens a room whose teacher has the token "chalk".
func newClassroom(t *testing.T, o Options) classroom {
	t.Helper()
	return classroom{roomtest.New(t, o)}
}

// openClassroom opens a room.
func openClassroom(t *testing.T, o Options, options room.Options) classroom {
	t.Helper()
	return classroom{roomtest.Open(t, o, options)}
}

// expect makes a request with a token, and returns the answer, which has to have a code.
func (c classroom) expect(code int, token, method, path, body string) map[string]any {
	c.Helper()
	return c.Expect(code, token, method, path, body)
}

// join makes a member and returns its name and token.
func (c classroom) join(role, displayName string) (name, token string) {
	c.Helper()
	return c.Join(role, displayName)
}

// as returns a handler whose requests have a token.
func (c classroom) as(token string) http.Handler { return apitest.As(c, token) }

// A tail follows a stream of JSON lines.
type tail struct {
	*apitest.Tail
	t testing.TB
}

// follow opens the stream at a path.
func follow(t testing.TB, h http.Handler, path string) *tail {
	t.Helper()
	return &tail{apitest.Follow(t, h, path), t}
}

// maxBeats is after how many BEATs, one each 15 seconds, a frame is not waited for any more: a slow machine takes some.
const maxBeats = 20

// until reads a follow stream up to a frame with a text, and returns what came before, too.
func (s *tail) until(text string) string {
	s.t.Helper()
	var before strings.Builder
	beats := 0
	for s.Lines.Scan() {
		line := s.Lines.Text()
		before.WriteString(line + "\n")
		if strings.Contains(line, text) {
			return before.String()
		}
		if strings.Contains(line, "BEAT") {
			if beats++; beats == maxBeats {
				break
			}
		}
	}
	s.t.Fatalf("no frame with %s, but\n%s", text, &before)
	return ""
}

// ended reports whether a stream ends before it has a frame with a text.
func (s *tail) ended(text string) bool {
	for s.Lines.Scan() {
		if strings.Contains(s.Lines.Text(), text) {
			return false
		}
	}
	return true
}
