package conformance_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/conformance"
)

const applyPatch = "application/apply-patch+yaml"

// applyPaths are what FuzzApply applies to.
var applyPaths = []string{"/api/v1/namespaces/fuzz/configmaps/one", "/api/v1/namespaces/fuzz/configmaps/new",
	"/api/v1/namespaces/fuzz/pods/p",
	"/api/v1/namespaces/fuzz/pods/p/status", "/apis/apps/v1/namespaces/fuzz/deployments/d",
	"/apis/apps/v1/namespaces/fuzz/deployments/d/scale", "/api/v1/namespaces/fuzz/services/s"}

// FuzzApply tries configurations. One that is accepted is also applied by another manager; after
// both, the object's managedFields entries have to be valid.
func FuzzApply(f *testing.F) {
	eachRequest(f, func(q *conformance.Request) {
		if v := q.Headers["Content-Type"]; len(v) == 0 || !strings.HasPrefix(v[0], applyPatch) {
			return
		}
		body := string(q.Body)
		if q.BodyText != nil {
			body = *q.BodyText
		}
		for i, path := range applyPaths {
			name := path[strings.LastIndexByte(path, '/')+1:]
			if strings.Contains(body, name) || i == 0 {
				f.Add(uint8(i), i%2 == 0, []byte(body))
			}
		}
	})
	const configMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"`
	for _, body := range []string{configMap + `},"data":{"k":"w","n":null,"e":""}}`, configMap +
		`,"labels":{"app":"one","é\"\\":"<"},"finalizers":["a/b","a/b"]}}`,
		configMap + `,"managedFields":[{}]}}`, configMap + `,"ownerReferences":[{"uid":"u"},{"uid":"u"},{}]}}`, configMap +
			`},"data":[]}`, configMap + `},"binaryData":{"k":1.0}}`,
		configMap + `,"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{"}}}`,
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, name: one}\ndata: &d {k: *d}"} {
		f.Add(uint8(0), false, []byte(body))
	}
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c",`
	for _, body := range []string{pod +
		`"image":"j","ports":[{"containerPort":80},{"containerPort":80,"protocol":"UDP"}]}]}}`, pod + `"ports":[{}]},{}]}}`,
		pod + `"ports":[{"containerPort":80},{"containerPort":80}]}]}}`,
		pod + `"resources":{"limits":{"cpu":1}}}]},"status":{"phase":"Running","conditions":[{"type":"Ready",` +
			`"status":"True"}]}}`, pod + `"env":[null]}]}}`} {
		f.Add(uint8(2), true, []byte(body))
		f.Add(uint8(3), true, []byte(body))
	}
	f.Add(uint8(4), false, []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},`+
		`"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},`+
		`"spec":{"containers":[{"name":"c","image":"i"}]}}}}`))
	f.Add(uint8(5), false, []byte(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},`+
		`"spec":{"replicas":3}}`))
	f.Add(uint8(6), false, []byte(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},`+
		`"spec":{"ports":[{"port":80,"targetPort":{}}],"selector":{"a":"b"}}}`))
	s := newSubject(f)
	f.Fuzz(func(t *testing.T, path uint8, force bool, body []byte) {
		target := applyPaths[int(path)%len(applyPaths)]
		query := "?fieldManager=kubectl"
		if force {
			query += "&force=true"
		}
		if a := s.do("PATCH", target+query, applyPatch, body); a.status == http.StatusOK || a.status == http.StatusCreated {
			defer s.renew(t)
			a.owners(t)
			b := s.do("PATCH", target+"?fieldManager=other", applyPatch, body)
			if b.status != 0 {
				b.verify(t, "PATCH", target)
			}
			if b.status == http.StatusOK {
				b.owners(t)
			}
			return
		}
		s.try(t, "PATCH", target+query, applyPatch, body)
	})
}

// owners checks the managedFields entries of an answer's object.
func (a *answer) owners(t *testing.T) {
	t.Helper()
	var obj struct {
		Metadata struct {
			ManagedFields []struct {
				Manager, Operation, APIVersion, FieldsType string
				FieldsV1                                   map[string]any
			}
		}
	}
	text := a.body.String()
	if err := json.Unmarshal([]byte(text), &obj); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, e := range obj.Metadata.ManagedFields {
		if e.Manager == "" || e.Operation != "Apply" && e.Operation != "Update" || e.APIVersion == "" ||
			e.FieldsType != "FieldsV1" || len(e.FieldsV1) == 0 {
			t.Fatalf("an entry that nobody can read: %+v in %s", e, text)
		}
	}
}
