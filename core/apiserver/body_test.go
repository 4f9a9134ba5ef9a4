package apiserver

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

func TestDecodeBody(t *testing.T) {
	s := &Server{Table: schema.Builtin()}
	configMap := expected{"", "v1", "ConfigMap", schema.TypeOf("", "v1", "ConfigMap")}
	deployment := expected{"apps", "v1", "Deployment", schema.TypeOf("apps", "v1", "Deployment")}
	for _, test := range []struct {
		want expected
		body string
		err  string // what the error contains; empty: none
	}{
		{configMap, `{"metadata":{"name":"a"}}`, ""},
		{configMap, `null`, ""},
		{configMap, ``, "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: "},
		{configMap, `{`, `couldn't get version/kind; json parse error: unexpected end of JSON input ({)`},
		{configMap, `[]`, "(5b5d)"},
		{configMap, `{"apiVersion":"v2","kind":"ConfigMap"}`, `ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme`},
		{configMap, `{"apiVersion":"v1","kind":"Nonsense"}`, `no kind "Nonsense" is registered for version "v1"`},
		{configMap, `{"apiVersion":"v1","kind":"Pod"}`, `Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion`},
		{configMap, `{"data":["no"]}`, "json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string"},
		{deployment, `{"apiVersion":"apps/v1beta1","kind":"Deployment"}`, "the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)"},
	} {
		obj, _, err := s.decodeBody([]byte(test.body), mediaJSON, test.want)
		switch {
		case test.err == "" && (err != nil || object.Kind(obj) != test.want.kind || object.APIVersion(obj) != test.want.groupVersion()):
			t.Errorf("%s: %v, %v", test.body, obj, err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: %v, want %s", test.body, err, test.err)
		}
	}
}

func TestDecodeYAML(t *testing.T) {
	s := &Server{Table: schema.Builtin()}
	want := expected{"", "v1", "ConfigMap", schema.TypeOf("", "v1", "ConfigMap")}
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
	code, body := ask(&Server{Table: schema.Builtin()}, "GET", "/api/v1/pods")
	if code != 500 || !strings.Contains(body, `"reason":"InternalError"`) {
		t.Errorf("%d %s", code, body)
	}
}
