// Package openapi reads the server's documents of OpenAPI by the real clients'
// code.
package openapi

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	kubeproto "k8s.io/kube-openapi/pkg/util/proto"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/openapi"
)

// fetch reads OpenAPI v2 in a media type.
func fetch(t *testing.T, h http.Handler, accept string) []byte {
	t.Helper()
	r, w := httptest.NewRequest("GET", "/openapi/v2", nil), httptest.NewRecorder()
	r.Header.Set("Accept", accept)
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", accept, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// TestV2 compares both forms of OpenAPI v2: the JSON, read by the real code, and the protobuf; and
// reads from them what kubectl explain does.
func TestV2(t *testing.T) {
	cluster, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, OpenAPIv2: openapi.V2})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	want, err := openapi_v2.ParseDocument(fetch(t, cluster, "application/json"))
	if err != nil {
		t.Fatal(err)
	}
	got := &openapi_v2.Document{}
	message := fetch(t, cluster, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
	if err := proto.Unmarshal(message, got); err != nil {
		t.Fatal(err)
	}
	normalize(t, want.ProtoReflect())
	normalize(t, got.ProtoReflect())
	if !proto.Equal(got, want) {
		for i, p := range want.Paths.GetPath() {
			if q := got.Paths.GetPath()[i]; !proto.Equal(p, q) {
				t.Fatalf("%v\nwant %v", q, p)
			}
		}
		for i, s := range want.Definitions.GetAdditionalProperties() {
			if q := got.Definitions.GetAdditionalProperties()[i]; !proto.Equal(s, q) {
				t.Fatalf("%v\nwant %v", q, s)
			}
		}
		t.Errorf("%v\nwant %v", got.Info, want.Info)
	}
	models, err := kubeproto.NewOpenAPIData(got)
	if err != nil {
		t.Fatal(err)
	}
	pod, _ := models.LookupModel("io.k8s.api.core.v1.Pod").(*kubeproto.Kind)
	if pod == nil || pod.Fields["spec"] == nil || pod.GetExtensions()["x-kubernetes-group-version-kind"] == nil {
		t.Errorf("Pod: %v", pod)
	}
}

// normalize gives values of any form one spelling: YAML has many. Empty messages become nil, and
// lists without an order in JSON are sorted.
func normalize(t *testing.T, m protoreflect.Message) {
	if whole, ok := m.Interface().(*openapi_v2.Any); ok {
		var value any
		if err := yaml.Unmarshal([]byte(whole.Yaml), &value); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		whole.Yaml = string(text)
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				normalize(t, v.List().Get(i).Message())
			}
		default:
			normalize(t, v.Message())
		}
		return true
	})
}
