package apiserver

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

func TestDecodeBody(t *testing.T) {
	s := &Server{Table: schema.Builtin()}
	configMap := expect("", "v1", "ConfigMap")
	deployment := expect("apps", "v1", "Deployment")
	daemonSet := expect("apps", "v1", "DaemonSet")
	event := expect("", "v1", "Event")
	definition := expect("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
	for _, test := range []struct {
		want expected
		body string
		err  string // what the error contains; empty: none
	}{
		{configMap, `{"metadata":{"name":"a"}}`, ""},
		{configMap, `null`, ""},
		{configMap, ``, "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; " +
			"json parse error: "},
		{configMap, `{`, `couldn't get version/kind; json parse error: unexpected end of JSON input ({)`},
		{configMap, `[]`, "(5b5d)"},
		{configMap, `{"apiVersion":"v2","kind":"ConfigMap"}`,
			`ConfigMap in version "v2" cannot be handled as a ConfigMap: ` +
				`no kind "ConfigMap" is registered for version "v2" in scheme`},
		{configMap, `{"apiVersion":"v1","kind":"Nonsense"}`, `no kind "Nonsense" is registered for version "v1"`},
		{configMap, `{"apiVersion":"v1","kind":"Pod"}`,
			`Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion`},
		{configMap, `{"data":["no"]}`,
			"json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string"},
		{daemonSet, `{"metadata":{"annotations":{"deprecated.daemonset.template.generation":"1"}}}`, ""},
		{daemonSet, `{"metadata":{"annotations":{"deprecated.daemonset.template.generation":"x"}}}`,
			`DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "x": invalid syntax`},
		{deployment, `{"apiVersion":"apps/v1beta1","kind":"Deployment"}`,
			"the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)"},
		{deployment, `{"apiVersion":"extensions/v1beta1","kind":"Deployment","spec":{"rollbackTo":{}}}`,
			"the API version in the data (extensions/v1beta1) does not match the expected API version (apps/v1)"},
		{deployment, `{"apiVersion":"extensions/v1beta1","kind":"Ingress"}`,
			"converting (v1beta1.Ingress) to (apps.Deployment): unknown conversion"},
		{deployment, `{"apiVersion":"apps/v1beta1","kind":"DaemonSet"}`,
			`no kind "DaemonSet" is registered for version "apps/v1beta1" in scheme`},
		{deployment, `{"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"WorkloadList"}`,
			"converting (v1alpha2.WorkloadList) to (apps.Deployment): unknown conversion"},
		{event, `{"apiVersion":"events.k8s.io/v1beta1","kind":"Event","regarding":{}}`,
			"the API version in the data (events.k8s.io/v1beta1) does not match the expected API version (v1)"},
		{definition, `{"apiVersion":"apps/v1","kind":"Deployment"}`,
			`no kind "Deployment" is registered for version "apps/v1" in scheme`},
	} {
		obj, problems, err := s.decodeBody([]byte(test.body), mediaJSON, test.want)
		if len(problems) > 0 {
			t.Errorf("%s: %q", test.body, problems)
		}
		switch {
		case test.err == "" && (err != nil || object.Kind(obj) != test.want.kind ||
			object.APIVersion(obj) != test.want.groupVersion()):
			t.Errorf("%s: %v, %v", test.body, obj, err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: %v, want %s", test.body, err, test.err)
		}
	}
}

func TestDecodeYAML(t *testing.T) {
	s := &Server{Table: schema.Builtin()}
	want := expect("", "v1", "ConfigMap")
	obj, problems, err := s.decodeBody([]byte("metadata:\n  name: a\ndata:\n  k: v\n"), mediaYAML, want)
	if err != nil || len(problems) > 0 || object.GetString(obj, "data", "k") != "v" {
		t.Errorf("%v, %v, %v", obj, problems, err)
	}
	if _, _, err := s.decodeBody([]byte("a: [b"), mediaYAML, want); err == nil {
		t.Error("a broken document was read")
	}
}

func TestPanicIsAnswered(t *testing.T) {
	// A server without its parts panics in every handler.
	var stack string
	code, body := ask(&Server{Table: schema.Builtin(),
		OnPanic: func(_ *http.Request, _ any, s []byte) { stack = string(s) }}, "GET", "/api/v1/pods")
	if code != 500 || !strings.Contains(body, `"reason":"InternalError"`) {
		t.Errorf("%d %s", code, body)
	}
	if !strings.Contains(stack, "apiserver.(*Server)") {
		t.Errorf("the stack: %s", stack)
	}
}

// A body is decoded to an object of the expected type, which can be encoded and decoded again, or
// refused with a 400.
func FuzzDecodeBody(f *testing.F) {
	for _, body := range []string{
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"a":"b","a":"c"}},` +
			`"spec":{"containers":[{"name":"c","x":1}]}}`,
		"metadata: &m {name: a}\nspec:\n  containers:\n  - <<: *m\n  - name: b\n    name: c\n---\nkind: Secret\n",
		`{"kind":"Secret","data":{"a":"!"}}`, `{"apiVersion":"a/b/c"}`, `{"apiVersion":"apps/"}`, `null`, "a: !!binary x",
		"- {[1]: 2}", "\t", "%YAML 1.2\n---\n{}",
	} {
		f.Add([]byte(body), false)
		f.Add([]byte(body), true)
	}
	s := &Server{Table: schema.Builtin()}
	want := expect("", "v1", "Pod")
	f.Fuzz(func(t *testing.T, body []byte, yaml bool) {
		media := mediaJSON
		if yaml {
			media = mediaYAML
		}
		before := string(body)
		obj, problems, err := s.decodeBody(body, media, want)
		if string(body) != before {
			t.Error("the body was changed")
		}
		if err != nil {
			if status.From(err).Status.Code != 400 {
				t.Errorf("%v", err)
			}
			return
		}
		for _, p := range problems {
			if p == "" {
				t.Errorf("an empty problem among %q", problems)
			}
		}
		again, problems, err := s.decodeBody(object.Encode(nil, obj, want.schema), mediaJSON, want)
		if err != nil || len(problems) > 0 || !object.Equal(again, obj) {
			t.Errorf("%v, %q, %v", again, problems, err)
		}
	})
}

// Errors do not have the headers by which clients would cache the document.
func TestErrorsAreNotCached(t *testing.T) {
	w := httptest.NewRecorder()
	a := &answer{ResponseWriter: w, server: &Server{}, sent: new(int64),
		request: httptest.NewRequest("GET", "/openapi/v3/api/v1?hash=A", nil)}
	for name, value := range map[string]string{"Etag": `"A"`, "Expires": "later", "Cache-Control": "public, immutable"} {
		a.Header().Set(name, value)
	}
	a.fail(status.NewInternal(errors.New("no")))
	h := w.Result().Header
	if w.Code != 500 || h.Get("Etag") != "" || h.Get("Expires") != "" || h.Get("Cache-Control") != wellknown.NoCache {
		t.Errorf("%d %v", w.Code, h)
	}
}

// TestUnreadBody checks that a body which is read piece by piece is refused like one that is read
// at once.
func TestUnreadBody(t *testing.T) {
	for name, test := range map[string]struct {
		body  io.Reader
		limit int64
		read  string
		err   string
	}{
		"as long as allowed": {strings.NewReader("12345"), 5, "12345", ""},
		"one byte too long": {io.MultiReader(strings.NewReader("12345"), strings.NewReader("6")), 5, "",
			"Request entity too large: limit is 5"},
		"declared too long": {strings.NewReader("123456"), 5, "", "Request entity too large: limit is 5"},
		"broken off":        {io.MultiReader(strings.NewReader("12"), iotest.ErrReader(errors.New("gone"))), 5, "", "gone"},
	} {
		b := &UnreadBody{request: httptest.NewRequest("PUT", "/", test.body), limit: test.limit, left: test.limit}
		read, err := io.ReadAll(b)
		switch {
		case test.err == "" && (err != nil || b.Err != nil || string(read) != test.read):
			t.Errorf("%s: %q, %v", name, read, err)
		case test.err != "" && (err == nil || b.Err != err || err.Error() != test.err):
			t.Errorf("%s: %v, %v", name, err, b.Err)
		}
	}
}

// TestDepth checks the limit that all hosts have.
func TestDepth(t *testing.T) {
	for levels, want := range map[int]string{
		object.MaxDepth:     "",
		object.MaxDepth + 1: "exceeded max depth: what is sent may nest 200 levels deep here",
		100_000:             "exceeded max depth: what is sent may nest 200 levels deep here",
	} {
		body := strings.Repeat("[", levels) + strings.Repeat("]", levels)
		_, err := (&answer{}).readBody(httptest.NewRequest("POST", "/", strings.NewReader(body)), 1<<20)
		if got := fmt.Sprint(err); (want == "") != (err == nil) || want != "" && got != want {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}
