// More than 400 lines: it is a table.

package kinds_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/schema"
)

// testdata/recorded.jsonl has the writes of recorded conversations with a real API server, one
// conversation per line: the requests and their outcomes. Here the strategies alone answer them,
// with a map as the store; answers that strategies do not decide (conflicts, unreadable bodies,
// patches that need the schema) are skipped.

// notYet are the steps with another outcome here, with the reason. Steps leave this list when they
// agree; none should join it.
var notYet = map[string]string{
	"kind-certificatesigningrequests/status":             "approval is a subresource of its own",
	"kind-certificatesigningrequests/patch-spec-ignored": "follows from the approval",
}

func TestRecorded(t *testing.T) {
	text, err := os.ReadFile("testdata/recorded.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c conversation
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			p := newPlay(t, c.Name)
			for _, s := range c.Steps {
				p.faults = nil
				p.play(s)
				key := c.Name + "/" + s.ID
				switch reason, listed := notYet[key]; {
				case listed && p.faults == nil:
					t.Errorf("%s agrees now: take it off the list (%s)", key, reason)
				case !listed && p.faults != nil:
					t.Errorf("%s:\n%s", s.ID, strings.Join(p.faults, "\n"))
				}
			}
			compared += p.compared
		})
	}
	if compared < 300 {
		t.Errorf("only %d answers were compared: the data or this test has lost its way", compared)
	}
}

type conversation struct {
	Name  string
	Steps []step
}

type step struct {
	ID      string
	Request struct {
		Method, Path, ContentType string
		Body                      json.RawMessage
		BodyText                  string
	}
	Status   int
	Warnings []string
	Response map[string]any
	Selected map[string]any
	Ignore   []string
	Captured map[string]string
}

// A play is one conversation replayed with the strategies.
type play struct {
	*testing.T
	vars     map[string]string
	objects  map[string]map[string]any
	context  strategy.Context
	uids     int
	faults   []string
	warnings []string
	compared int
}

// zeros is the randomness that makes tests repeatable.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func newPlay(t *testing.T, name string) *play {
	p := &play{T: t, objects: map[string]map[string]any{}, vars: map[string]string{"ns": "conf-" + name}}
	pools := newAllocations(zeros{})
	p.context = strategy.Context{
		Now:        func() time.Time { return time.Unix(0, 0) },
		NewUID:     func() string { p.uids++; return fmt.Sprint("uid-", p.uids) },
		ClusterIPs: pools.ClusterIPs, NodePorts: pools.NodePorts,
	}
	return p
}

func (p *play) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// A target is the object of a request.
type target struct {
	res         *schema.Resource
	namespace   string
	name        string
	subresource string
}

func (t target) key(name string) string {
	return t.res.GroupResource() + "/" + t.namespace + "/" + name
}

var path = regexp.MustCompile(`^/(?:api/(v1)|apis/([^/]+)/([^/]+))(?:/namespaces/([^/]+))?` +
	`/([a-z]+)(?:/([^/]+))?(?:/([a-z]+))?$`)

func (p *play) target(text string) (target, bool) {
	text, query, _ := strings.Cut(text, "?")
	if strings.HasPrefix(text, "/api/v1/namespaces/") && !path.MatchString(text) ||
		strings.HasSuffix(text, "/status") && strings.Count(text, "/") == 5 {
		text = strings.Replace(text, "/namespaces/", "/namespaces/-/namespaces/", 1)
	}
	m := path.FindStringSubmatch(text)
	if m == nil || strings.Contains(query, "dryRun") {
		return target{}, false
	}
	res := schema.Builtin().Resource(m[2], m[1]+m[3], m[5])
	if res == nil || res.Virtual || m[7] != "" && m[7] != "status" {
		return target{}, false
	}
	if !res.Namespaced {
		m[4] = ""
	}
	return target{res, m[4], m[6], m[7]}, true
}

func (p *play) play(s step) {
	for name, value := range s.Captured {
		p.vars[name] = value
	}
	t, ok := p.target(p.expand(s.Request.Path))
	if !ok {
		return
	}
	body := []byte(p.expand(cmp.Or(s.Request.BodyText, sorted(p.T, s.Request.Body))))
	old := p.objects[t.key(t.name)]
	p.warnings = nil
	switch s.Request.Method {
	case "POST":
		p.create(s, t, body)
	case "PUT":
		p.update(s, t, body, old)
	case "PATCH":
		p.patch(s, t, body, old)
	case "DELETE":
		delete(p.objects, t.key(t.name))
	}
}

func (p *play) create(s step, t target, body []byte) {
	obj, _, err := object.Decode(body, t.res.Type())
	if err != nil || t.name != "" {
		return
	}
	meta := object.Meta(obj)
	if object.Name(obj) == "" && object.GenerateName(obj) != "" {
		meta["name"] = metadata.GeneratedName(object.GenerateName(obj), s.suffix())
	}
	if p.objects[t.key(object.Name(obj))] != nil {
		return // AlreadyExists
	}
	for _, name := range []string{"namespace", "resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds",
		"selfLink"} {
		delete(meta, name)
	}
	if t.namespace != "" {
		meta["namespace"] = t.namespace
	}
	meta["uid"] = cmp.Or(object.UID(s.Response), p.vars["uid"], p.context.NewUID())
	meta["creationTimestamp"] = "1970-01-01T00:00:00Z"
	object.SetTypeMeta(obj, t.res.APIVersion(), t.res.Kind)
	c := p.context
	errs := createAll(kinds.For(t.res.Group, t.res.Kind), &c, t.res, obj)
	p.warnings = c.Warnings
	p.finish(s, t, obj, nil, errs)
}

func (p *play) update(s step, t target, body []byte, old map[string]any) {
	if old == nil || s.Status == 409 || s.Status == 400 {
		return
	}
	obj, _, err := object.Decode(body, t.res.Type())
	if err != nil {
		return
	}
	meta := object.Meta(obj)
	meta["resourceVersion"] = "1"
	if t.namespace != "" {
		meta["namespace"] = t.namespace
	}
	object.SetTypeMeta(obj, t.res.APIVersion(), t.res.Kind)
	if object.Name(obj) != t.name {
		return
	}
	strat, c, before := kinds.For(t.res.Group, t.res.Kind), p.context, object.DeepCopy(old)
	errs := updateAll(strat, &c, t.res, t.subresource, obj, old)
	p.warnings = c.Warnings
	if !object.Equal(before, old) {
		p.fault("the old object was changed:\n%s", difference("", before, old))
	}
	p.finish(s, t, obj, old, errs)
}

func (p *play) patch(s step, t target, body []byte, old map[string]any) {
	if old == nil {
		return
	}
	was := object.Encode(nil, old, t.res.Type())
	err := errors.New("not a patch of ours")
	switch s.Request.ContentType {
	case "application/strategic-merge-patch+json":
		body, err = strategic(was, body, t.res.Type())
	case "application/merge-patch+json":
		body, _, err = patch.Merge(was, body, true)
	case "application/json-patch+json":
		body, _, err = patch.JSON(was, body, true)
	}
	if err == nil {
		p.update(s, t, body, old)
	} else if s.Status == 200 && s.Response != nil && t.subresource == "" {
		text, _ := json.Marshal(s.Response)
		if obj, _, err := object.Decode(text, t.res.Type()); err == nil {
			p.objects[t.key(t.name)] = obj
		}
	}
}

func strategic(doc, change []byte, t *schema.Type) ([]byte, error) {
	a, err := object.DecodeAny(doc)
	if err != nil {
		return nil, err
	}
	b, err := object.DecodeAny(change)
	if err != nil {
		return nil, err
	}
	merged, err := patch.Strategic(a.(map[string]any), b.(map[string]any), t)
	if err != nil {
		return nil, err
	}
	return object.Encode(nil, merged, nil), nil
}

// finish compares the outcome of a write.
func (p *play) finish(s step, t target, obj, old map[string]any, errs field.ErrorList) {
	details, _ := s.Response["details"].(map[string]any)
	switch {
	case s.Status == 422 && s.Response == nil:
		p.compared++
		if len(errs) == 0 {
			p.fault("accepted, but recorded as refused: %v", s.Selected)
		}
	case s.Status == 422 && details["kind"] == t.res.Kind:
		p.compared++
		p.compareErrors(details["causes"], errs)
	case s.Status >= 300:
	case len(errs) > 0:
		p.fault("refused: %s", errs.Message())
	default:
		p.compared++
		c := p.context
		if _, errs := kinds.For(t.res.Group, t.res.Kind).Alloc(&c, obj, old); len(errs) > 0 {
			p.fault("not allocated: %s", errs.Message())
		}
		object.Meta(obj)["resourceVersion"] = "1"
		p.objects[t.key(object.Name(obj))] = obj
		p.compareObject(s, t, obj)
		p.compareWarnings(s)
	}
}

func (p *play) compareErrors(want any, errs field.ErrorList) {
	var got []any
	for _, c := range errs.Causes() {
		got = append(got, map[string]any{"field": c.Field, "message": c.Message, "reason": c.Reason})
	}
	if !reflect.DeepEqual(any(got), want) {
		p.fault("causes are %s\nwant       %s", show(got), show(want))
	}
}

func (p *play) compareWarnings(s step) {
	var got []string
	for _, text := range p.warnings {
		got = append(got, fmt.Sprintf("299 - %q", text))
	}
	if len(got) > 0 && !slices.Equal(got, s.Warnings) {
		p.fault("warnings are %s\nwant         %s", got, s.Warnings)
	}
}

func (p *play) compareObject(s step, t target, obj map[string]any) {
	var got map[string]any
	if err := json.Unmarshal(object.Encode(nil, obj, t.res.Type()), &got); err != nil {
		p.Fatal(err)
	}
	for name, want := range s.Selected {
		if want == "(nothing)" {
			want = nil
		}
		have, known := lookup(got, name)
		if diff := difference(name, have, want); known && diff != "" && name != "metadata" {
			p.fault("is (-), want (+)\n%s", diff)
		}
	}
	if s.Response == nil {
		return
	}
	for _, o := range []map[string]any{got, s.Response} {
		meta := o["metadata"].(map[string]any)
		for _, name := range []string{"uid", "resourceVersion", "creationTimestamp"} {
			delete(meta, name)
		}
		for _, name := range s.Ignore {
			forget(o, strings.Split(name, "."))
		}
	}
	if diff := difference("", got, s.Response); diff != "" {
		p.fault("is (-), want (+)\n%s", diff)
	}
}

// forget removes the value at a path, in which [*] stands for all entries of a list.
func forget(v any, path []string) {
	m, _ := v.(map[string]any)
	name, list := strings.CutSuffix(path[0], "[*]")
	switch {
	case len(path) == 1:
		delete(m, name)
	case list:
		entries, _ := m[name].([]any)
		for _, e := range entries {
			forget(e, path[1:])
		}
	default:
		forget(m[name], path[1:])
	}
}

// suffix is the end of the name that the real server generated.
func (s step) suffix() string {
	name := object.Name(s.Response)
	if name == "" {
		name, _ = s.Selected["metadata.name"].(string)
	}
	return name[max(0, len(name)-5):]
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

// difference shows where two trees differ; times are all the same.
func difference(path string, got, want any) string {
	var b strings.Builder
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			for k := range w {
				b.WriteString(difference(path+"."+k, g[k], w[k]))
			}
			for k := range g {
				if _, ok := w[k]; !ok {
					fmt.Fprintf(&b, "-%s.%s: %s\n", path, k, show(g[k]))
				}
			}
			return b.String()
		}
	case []any:
		if g, ok := got.([]any); ok && len(g) == len(w) {
			for i := range w {
				b.WriteString(difference(fmt.Sprintf("%s[%d]", path, i), g[i], w[i]))
			}
			return b.String()
		}
	case string:
		if g, ok := got.(string); ok && stamp.MatchString(g) && stamp.MatchString(w) {
			return ""
		}
	}
	if reflect.DeepEqual(got, want) {
		return ""
	}
	return fmt.Sprintf("-%s: %s\n+%s: %s\n", path, show(got), path, show(want))
}

func show(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

var variable = regexp.MustCompile(`\$\{([^}]+)\}`)

// expand puts in the values of a conversation's variables.
// sorted returns JSON with sorted fields, as it was sent when it was recorded.
func sorted(t *testing.T, body json.RawMessage) string {
	t.Helper()
	if len(body) == 0 {
		return ""
	}
	v, err := object.DecodeAny(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(object.EncodeAny(nil, v))
}

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
