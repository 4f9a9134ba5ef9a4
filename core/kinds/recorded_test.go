package kinds_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/schema"
)

// recorded are the recordings whose writes are made up of rules alone. What they
// created, changed and refused is asked of the rules, without a server.
var recorded = []string{
	"crud-invalid-name",
}

var recordings = cmp.Or(os.Getenv("KINDS_DIR"), "../conformance/testdata/recordings/")

func TestRecorded(t *testing.T) {
	names := recorded
	if all := os.Getenv("KINDS_RECORDED"); all != "" {
		names = nil
		files, _ := filepath.Glob(recordings + all + ".json")
		for _, f := range files {
			names = append(names, strings.TrimSuffix(filepath.Base(f), ".json"))
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { newPlay(t, name).run() })
	}
}

type step struct {
	ID      string
	Do      string
	Request struct {
		Method, Path string
		Headers      map[string]any
		Body         json.RawMessage
		BodyText     string
	}
	Compare struct {
		Ignore     []string
		StatusOnly bool
	}
	Captured map[string]string
	Response struct {
		Status  int
		Headers struct{ Warning []string }
		Body    map[string]any
	}
	Selected any
}

// A play is one recording played against the rules, with a map as the store.
type play struct {
	*testing.T
	steps   []step
	vars    map[string]string
	objects map[string]map[string]any
	context kinds.Context
	uids    int
}

func newPlay(t *testing.T, name string) *play {
	text, err := os.ReadFile(recordings + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var scenario struct{ Steps []step }
	if err := json.Unmarshal(text, &scenario); err != nil {
		t.Fatal(err)
	}
	p := &play{T: t, steps: scenario.Steps, objects: map[string]map[string]any{}}
	p.vars = map[string]string{"ns": "conf-" + name}
	pools := kinds.NewAllocations(zeros{})
	p.context = kinds.Context{
		Now:    func() time.Time { return time.Unix(0, 0) },
		NewUID: func() string { p.uids++; return fmt.Sprint("uid-", p.uids) },

		ClusterIPs: pools.ClusterIPs, NodePorts: pools.NodePorts,
	}
	return p
}

// zeros is the randomness that makes tests repeat.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func (p *play) run() {
	for _, s := range p.steps {
		for k, v := range s.Captured {
			p.vars[k] = v
		}
		if s.Do == "request" {
			p.request(s)
		}
	}
}

var target = regexp.MustCompile(`^/(?:api/(v1)|apis/([^/]+)/([^/]+))(?:/namespaces/([^/]+))?/([a-z]+)(?:/([^/]+))?(?:/([a-z]+))?$`)

func (p *play) request(s step) {
	p.Helper()
	path, query, _ := strings.Cut(p.expand(s.Request.Path), "?")
	m := target.FindStringSubmatch(path)
	if m == nil {
		m = target.FindStringSubmatch(strings.Replace(path, "/namespaces/", "/namespaces/x/namespaces/", 1))
	}
	if m == nil || strings.Contains(query, "dryRun") {
		return
	}
	if m[5] == "status" && m[4] != "" && strings.HasPrefix(path, "/api/v1/namespaces/") { // the namespace's own
		m = []string{m[0], m[1], "", "", "", "namespaces", m[4], m[5]}
	}
	version := m[1] + m[3]
	res := schema.Builtin().Resource(m[2], version, m[5])
	if res == nil || res.Virtual || m[7] != "" && m[7] != "status" {
		return
	}
	namespace := m[4]
	if !res.Namespaced {
		namespace = ""
	}
	body := []byte(p.expand(string(s.Request.Body)))
	if s.Request.BodyText != "" {
		body = []byte(p.expand(s.Request.BodyText))
	}
	key := func(name string) string { return res.GroupResource() + "/" + namespace + "/" + name }
	old := p.objects[key(m[6])]
	rules := kinds.For(res.Group, res.Kind)
	c := p.context
	var obj map[string]any
	var errs field.ErrorList
	switch s.Request.Method {
	case "POST":
		var err error
		if obj, _, err = object.Decode(body, res.Type()); err != nil || m[6] != "" {
			return
		}
		meta := object.Meta(obj)
		if object.Name(obj) == "" && object.GenerateName(obj) != "" {
			meta["name"] = kinds.GeneratedName(object.GenerateName(obj), recordedSuffix(s))
		}
		if p.objects[key(object.Name(obj))] != nil {
			return
		}
		object.SetTypeMeta(obj, res.APIVersion(), res.Kind)
		delete(meta, "resourceVersion")
		if namespace != "" {
			meta["namespace"] = namespace
		} else {
			delete(meta, "namespace")
		}
		meta["uid"], meta["creationTimestamp"] = cmp.Or(object.UID(s.Response.Body), p.vars["uid"], c.NewUID()), "1970-01-01T00:00:00Z"
		for _, f := range []string{"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"} {
			delete(meta, f)
		}
		errs = rules.Create(&c, res, obj)
	case "PUT", "PATCH":
		if old == nil {
			return
		}
		if s.Request.Method == "PATCH" {
			var err error
			was := object.Encode(nil, old, res.Type())
			switch s.Request.Headers["Content-Type"] {
			case "application/merge-patch+json":
				body, _, err = patch.Merge(was, body, true)
			case "application/json-patch+json":
				body, _, err = patch.JSON(was, body, true)
			default:
				err = errors.New("not ours")
			}
			if err != nil {
				p.learn(key(m[6]), s)
				return
			}
		}
		var err error
		if obj, _, err = object.Decode(body, res.Type()); err != nil {
			return
		}
		meta := object.Meta(obj)
		meta["resourceVersion"] = "1"
		if namespace != "" {
			meta["namespace"] = namespace
		}
		object.SetTypeMeta(obj, res.APIVersion(), res.Kind)
		if object.Name(obj) != object.Name(old) || s.Response.Status == 409 || s.Response.Status == 400 {
			return
		}
		if m[7] == "status" {
			errs = rules.UpdateStatus(&c, res, obj, old)
		} else {
			errs = rules.Update(&c, res, obj, old)
		}
	case "DELETE":
		delete(p.objects, key(m[6]))
		return
	default:
		return
	}
	switch {
	case s.Response.Status == 422 && s.Response.Body == nil:
		if len(errs) == 0 {
			p.Errorf("%s: accepted, recorded: 422 %v", s.ID, s.Selected)
		}
	case s.Response.Status == 422 && s.Response.Body["details"] != nil && kindOf(s.Response.Body) == res.Kind:
		p.compareErrors(s, errs)
	case s.Response.Status >= 300:
	case len(errs) > 0:
		p.Errorf("%s: refused: %s", s.ID, errs.Message())
	default:
		if _, errs := rules.Alloc(&c, obj, old); len(errs) > 0 {
			p.Errorf("%s: %s", s.ID, errs.Message())
		}
		p.objects[key(object.Name(obj))] = obj
		object.Meta(obj)["resourceVersion"] = "1"
		p.compare(s, obj, res)
	}
}

// recordedSuffix is the end of the name that the real server made.
func recordedSuffix(s step) string {
	name := object.Name(s.Response.Body)
	if selected, ok := s.Selected.(map[string]any); ok && name == "" {
		name, _ = selected["metadata.name"].(string)
	}
	return name[max(0, len(name)-5):]
}

func kindOf(status map[string]any) any { return status["details"].(map[string]any)["kind"] }

// learn takes over an object that was changed in a way that is not ours to do.
func (p *play) learn(key string, s step) {
	if s.Response.Status == 200 && s.Response.Body["kind"] != "Status" && s.Response.Body != nil {
		text, _ := json.Marshal(s.Response.Body)
		v, _ := object.DecodeAny(text)
		p.objects[key] = v.(map[string]any)
	}
}

func (p *play) compareErrors(s step, errs field.ErrorList) {
	var causes []any
	for _, c := range errs.Causes() {
		causes = append(causes, map[string]any{"field": c.Field, "message": c.Message, "reason": c.Reason})
	}
	want := s.Response.Body["details"].(map[string]any)["causes"]
	if !reflect.DeepEqual(any(causes), want) {
		p.Errorf("%s:\n got %s\nwant %s", s.ID, show(causes), show(want))
	}
}

func (p *play) compare(s step, obj map[string]any, res *schema.Resource) {
	var got map[string]any
	if err := json.Unmarshal(object.Encode(nil, obj, res.Type()), &got); err != nil {
		p.Fatal(err)
	}
	selected, _ := s.Selected.(map[string]any)
	for path, want := range selected {
		if want == "(nothing)" {
			want = nil
		}
		have, known := lookup(got, path)
		if diff := difference(path, have, want); known && diff != "" && path != "metadata" {
			p.Errorf("%s: got (-) want (+)\n%s", s.ID, diff)
		}
	}
	want := s.Response.Body
	if want == nil {
		return
	}
	for _, o := range []map[string]any{got, want} {
		meta := o["metadata"].(map[string]any)
		for _, f := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields"} {
			delete(meta, f)
		}
		for _, path := range s.Compare.Ignore {
			object.RemoveNested(o, strings.Split(path, ".")...)
		}
	}
	if diff := difference("", got, want); diff != "" && !s.Compare.StatusOnly {
		p.Errorf("%s: got (-) want (+)\n%s", s.ID, diff)
	}
}

var index = regexp.MustCompile(`^(.*)\[(\d+)\]$`)

// lookup is the value at a path; known is false for paths that it cannot follow.
func lookup(v any, path string) (value any, known bool) {
	for _, name := range strings.Split(path, ".") {
		at := -1
		if m := index.FindStringSubmatch(name); m != nil {
			name = m[1]
			fmt.Sscan(m[2], &at)
		}
		if strings.ContainsAny(name, `["`) {
			return nil, false
		}
		m, _ := v.(map[string]any)
		if v = m[name]; at >= 0 {
			if l, _ := v.([]any); at < len(l) {
				v = l[at]
			} else {
				v = nil
			}
		}
	}
	return v, true
}

var stamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT`)

func difference(path string, got, want any) string {
	g, isMap := got.(map[string]any)
	w, wantMap := want.(map[string]any)
	if isMap && wantMap {
		var b strings.Builder
		for k := range w {
			b.WriteString(difference(path+"."+k, g[k], w[k]))
		}
		for k := range g {
			if _, ok := w[k]; !ok {
				b.WriteString("-" + path + "." + k + ": " + show(g[k]) + "\n")
			}
		}
		return b.String()
	}
	gs, _ := got.(string)
	ws, _ := want.(string)
	if reflect.DeepEqual(got, want) || stamp.MatchString(gs) && stamp.MatchString(ws) {
		return ""
	}
	return "-" + path + ": " + show(got) + "\n+" + path + ": " + show(want) + "\n"
}

func show(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

var variable = regexp.MustCompile(`\$\{([^}]+)\}`)

func (p *play) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(v string) string {
		name := v[2 : len(v)-1]
		if n, ok := strings.CutPrefix(name, "fill-"); ok {
			var count int
			fmt.Sscan(n, &count)
			return strings.Repeat("x", count)
		}
		return p.vars[name]
	})
}
