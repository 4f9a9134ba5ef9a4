package extension_test

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// notes is a resource type of an extension.
var notes = &schema.Resource{
	Group: "notes.example.com", Version: "v1", Plural: "notes", Singular: "note", Kind: "Note", ListKind: "NoteList",
	Verbs: []string{"create", "delete", "get", "list"}, StoragePrefix: "/registry/notes.example.com/notes",
	Subresources: []schema.Subresource{{
		Name: "shout", Group: "notes.example.com", Version: "v1", Kind: "Note", Verbs: []string{"create"},
	}},
}

// A notebook is an extension with one of everything.
type notebook struct {
	refuses           bool // limiter
	seen              []string
	prepared, started int
	ran               chan struct{}
}

func (b *notebook) Extend(i *extension.Instance) (extension.Additions, error) {
	return extension.Additions{
		Resources: []extension.Resource{{
			Row: notes, Lasting: true,
			Hooks: registry.Hooks{Validate: func(_ context.Context, obj map[string]any) (errs field.ErrorList) {
				if object.GetString(obj, "spec", "text") == "" {
					errs.Add(field.Required(field.NewPath("spec", "text"), ""))
				}
				return errs
			}},
		}},
		Acts: map[apiserver.Subresource]apiserver.Act{
			{Group: notes.Group, Resource: notes.Plural, Name: "shout", Verb: "create"}: {
				Serve: func(w http.ResponseWriter, r *http.Request, c apiserver.Call) error {
					_, err := i.Registry.Get(r.Context(), registry.Target{Resource: notes, Name: c.Name})
					return err
				},
			},
		},
		Defaults: func(s *controlplane.Settings) { s.Bookmarks = 7 * time.Second },
		Check: func(s *controlplane.Settings) (errs field.ErrorList) {
			if s.Retention < 10*time.Second {
				errs.Add(field.Forbidden(field.NewPath("spec", "history", "retentionSeconds"), "notes need more"))
			}
			return errs
		},
		Tokens:    b,
		Restrict:  func(a *auth.Attributes) string { return "" },
		Limiter:   b,
		Admission: []admission.Plugin{full{b, i.Registry}},
		Authors:   strings.ToUpper,
		Observe: func(bucket, key string, value []byte, _ int64) {
			if bucket == notes.Bucket() {
				b.seen = append(b.seen, key)
			}
		},
		Objects: func() []map[string]any {
			b.prepared++
			return []map[string]any{{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "notes"}}}
		},
		Start: func() { b.started++ },
		Run:   func(ctx context.Context) { <-ctx.Done(); b.ran <- struct{}{} },
	}, nil
}

func (b *notebook) Verify(shown string) (*auth.User, []string, error) {
	if shown != "pencil" {
		return nil, nil, nil
	}
	return &auth.User{Name: "writer", Groups: []string{auth.Masters}}, []string{auth.Audience}, nil
}

func (b *notebook) Enter(ctx context.Context, u *auth.User, _ apiserver.Use) (context.Context, func(int64), error) {
	if b.refuses {
		return ctx, nil, status.New(http.StatusTooManyRequests, status.TooManyRequests, u.Name+" writes too much", nil)
	}
	return ctx, func(int64) {}, nil
}

// mostNotes is how many notes there may be.
const mostNotes = 2

// full is an admission plugin.
type full struct {
	*notebook
	registry *registry.Registry
}

func (p full) Check(ctx context.Context, a *admission.Attributes) error {
	list, err := p.registry.List(ctx, registry.Target{Resource: notes}, registry.ListOptions{})
	if a.Resource == notes && a.Operation == "CREATE" && err == nil && len(list.Items) >= mostNotes {
		return status.NewForbidden(a.GroupResource(), a.Name, "the notebook is full")
	}
	return err
}

const (
	notesPath = "/apis/notes.example.com/v1/notes"
	plane     = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default"
)

// ask makes a request as the writer, and returns the answer, which has to have a code.
func ask(t *testing.T, h http.Handler, code int, method, path string, body io.Reader) string {
	t.Helper()
	r := httptest.NewRequest(method, path, body)
	r.Header.Set("Authorization", "Bearer pencil")
	r.Header.Set("Content-Type", "application/merge-patch+json")
	if method != "PATCH" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != code {
		t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, code, w.Body)
	}
	return w.Body.String()
}

func note(name, text string) io.Reader {
	return strings.NewReader(`{"metadata":{"name":"` + name + `"},"spec":{"text":"` + text + `"}}`)
}

func start(t *testing.T, extensions ...extension.Extension) (*core.Cluster, error) {
	return core.New(core.Options{
		Clock: clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)), Rand: rand.NewChaCha8([32]byte{}),
		Extensions: extensions,
	})
}

// TestExtension has an extension add one of everything, and sees each in the API.
func TestExtension(t *testing.T) {
	b := &notebook{ran: make(chan struct{}, 2)}
	c, err := start(t, b)
	if err != nil {
		t.Fatal(err)
	}
	if b.prepared != 1 || b.started != 1 {
		t.Errorf("prepared %d, started %d", b.prepared, b.started)
	}

	ask(t, c, 200, "GET", "/api/v1/namespaces/notes", nil)

	// A resource: validated, in discovery, with a subresource; what is stored is observed, with its author.
	ask(t, c, 422, "POST", notesPath, note("a", ""))
	ask(t, c, 201, "POST", notesPath, note("a", "one"))
	ask(t, c, 201, "POST", notesPath+"/a/shout", nil)
	ask(t, c, 404, "POST", notesPath+"/b/shout", nil)
	if !strings.Contains(ask(t, c, 200, "GET", "/apis/notes.example.com/v1", nil), `"notes/shout"`) {
		t.Error("discovery has no subresource")
	}
	if len(b.seen) != 1 || b.seen[0] != "a" {
		t.Errorf("observed: %q", b.seen)
	}
	waitFor(t, c, plane+"/revisions?since=1", `"user":"WRITER"`)

	// Other defaults, an admission plugin, and a check of settings.
	spec := ask(t, c, 200, "GET", plane, nil)
	if want := `"bookmarkSeconds":7`; !strings.Contains(spec, want) {
		t.Errorf("the settings are %s, without %s", spec, want)
	}
	ask(t, c, 201, "POST", notesPath, note("b", "two"))
	ask(t, c, 403, "POST", notesPath, note("c", "three"))
	ask(t, c, 422, "PATCH", plane, strings.NewReader(`{"spec":{"history":{"retentionSeconds":9}}}`))

	// A limiter, which is asked before anything is read.
	b.refuses = true
	ask(t, c, 429, "POST", notesPath, unread{t})
	b.refuses = false

	// Objects that outlast a reset, in which the extension has another instance.
	ask(t, c, 201, "POST", "/api/v1/namespaces", strings.NewReader(`{"metadata":{"name":"gone"}}`))
	ask(t, c, 201, "POST", plane+"/reset", nil)
	<-b.ran
	ask(t, c, 404, "GET", "/api/v1/namespaces/gone", nil)
	ask(t, c, 200, "GET", notesPath+"/b", nil)
	if b.prepared != 2 || b.started != 2 {
		t.Errorf("prepared %d, started %d", b.prepared, b.started)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	<-b.ran
}

// waitFor returns when a stream has sent some text.
func waitFor(t *testing.T, h http.Handler, path, text string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("%s has ended: %v", path, p)
		}
	}()
	h.ServeHTTP(&until{httptest.NewRecorder(), text, cancel}, httptest.NewRequest("GET", path, nil).WithContext(ctx))
}

// until ends a stream at some text.
type until struct {
	*httptest.ResponseRecorder
	text string
	end  func()
}

func (u *until) Write(b []byte) (int, error) {
	if strings.Contains(string(b), u.text) {
		u.end()
	}
	return u.ResponseRecorder.Write(b)
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// TestTwiceTheSame refuses two extensions that add the same.
func TestTwiceTheSame(t *testing.T) {
	if _, err := start(t, new(notebook), new(notebook)); err == nil {
		t.Error("two extensions add one resource type")
	}
}

// TestWithout has a cluster without extensions, which has nothing of them.
func TestWithout(t *testing.T) {
	c, err := start(t)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if w := apitest.Do(c, "GET", notesPath, ""); w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
