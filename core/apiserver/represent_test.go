package apiserver

import (
	"net/http/httptest"
	"testing"
)

func TestConversionsAreNegotiated(t *testing.T) {
	table := conversion{kindTable, "v1"}
	for accept, want := range map[string]conversion{
		"application/json": {},
		"application/json;as=Table;v=v1;g=meta.k8s.io":                                       table,
		"application/yaml;as=Table;v=v1;g=meta.k8s.io":                                       table,
		"*/*;as=Table;v=v1;g=meta.k8s.io":                                                    table,
		"text/html, application/json;as=Table;g=meta.k8s.io;v=v1":                            table,
		"application/json;as=Table;v=v1beta1;g=meta.k8s.io":                                  {kindTable, "v1beta1"},
		"application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io":                       {kindPartial, "v1"},
		"application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json":  {kindPartialList, "v1"},
		"application/json, application/json;as=Table;v=v1;g=meta.k8s.io":                     {},
		"application/json;as=Table;v=v2;g=meta.k8s.io,application/json":                      {},
		"application/json;as=Table;v=v2;g=meta.k8s.io,*/*;as=Table;v=v1;g=meta.k8s.io;q=0.1": table,
	} {
		if got, err := negotiated(accept, true); err != nil || got != want {
			t.Errorf("Accept: %s: %v, %v; want %v", accept, got, err, want)
		}
	}
	for _, accept := range []string{
		"application/json;as=Table", "application/json;as=Table;v=v1", "application/json;as=Table;g=meta.k8s.io",
		"application/json;v=v1;g=meta.k8s.io", "application/json;as=Table;v=v2;g=meta.k8s.io",
		"application/json;as=Table;v=v1;g=example.com", "application/json;as=Widget;v=v1;g=meta.k8s.io",
		"application/json;as=\"Table\";v=v1;g=meta.k8s.io", "text/html;as=Table;v=v1;g=meta.k8s.io",
	} {
		if got, err := negotiated(accept, true); err == nil {
			t.Errorf("Accept: %s: %v, want an error", accept, got)
		}
	}
	if got, err := negotiated("application/json;as=Table;v=v1;g=meta.k8s.io", false); err == nil {
		t.Errorf("what has no conversions is %v", got)
	}
}

func negotiated(accept string, converts bool) (conversion, error) {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept", accept)
	a := &answer{request: r}
	err := a.choose(served, converts)
	return a.as, err
}

const asPartial, asPartialList = "Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
	"Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

func TestPartialMetadata(t *testing.T) {
	const roles, hpas = "/apis/rbac.authorization.k8s.io/v1/clusterroles", "/apis/autoscaling/v1/horizontalpodautoscalers"
	run(t, newServer(t), []exchange{
		{"POST", configMaps, asPartial, `{"metadata":{"name":"a","annotations":{"x":"\"}"}},"data":{"metadata":"b"}}`, 201,
			`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","namespace":"default",`},
		{"GET", configMaps + "/a", asPartial, "", 200, `"annotations":{"x":"\"}"},"managedFields":`},
		{"GET", configMaps + "/a", "Accept: application/yaml;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io", "", 200,
			"apiVersion: meta.k8s.io/v1beta1\nkind: PartialObjectMetadata\n"},
		{"GET", configMaps + "/a", asPartialList, "", 406,
			`you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)`},
		{"GET", configMaps + "/b", asPartial, "", 404, `"kind": "Status"`},
		{"GET", configMaps, asPartialList, "", 200,
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3"},` +
				`"items":[{"kind":"PartialObjectMetadata",`},
		{"GET", configMaps + "?labelSelector=no", asPartialList, "", 200, `"items":null}`},
		{"GET", roles, asPartial, "", 406,
			"you requested PartialObjectMetadata, but the requested object is a list (*rbac.ClusterRoleList)"},
		{"GET", hpas, asPartial, "", 406, "(*autoscaling.HorizontalPodAutoscalerList)"},
		{"GET", configMaps + "?watch=1&timeoutSeconds=-1", asPartial, "", 200,
			`{"type":"ADDED","object":{"kind":"PartialObjectMetadata",`},
		{"GET", configMaps + "?watch=1&resourceVersion=x", asPartial, "", 500, `"kind": "Status"`},
		// There are no lists to watch.
		{"GET", configMaps + "?watch=1&timeoutSeconds=-1", asPartialList, "", 200, ""},
		{"DELETE", configMaps + "/a", asPartial, "", 200, `{"kind":"Status"`},
		{"GET", "/api/v1", asPartial, "", 406, "only the following media types are accepted"},
	})
}

func TestMember(t *testing.T) {
	const document = `{"a":1,"b\"":"}","c":{"metadata":["{\\\"",{}]},"metadata":{"x":[1,{}]},"z":null}`
	for name, want := range map[string]string{
		"a": "1", `b\"`: `"}"`, "c": `{"metadata":["{\\\"",{}]}`, "metadata": `{"x":[1,{}]}`, "z": "null", "x": "",
	} {
		if got := string(member([]byte(document), name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, none := range []string{"{}", `{"a":1}`} {
		if got := member([]byte(none), "b"); got != nil {
			t.Errorf("%s has %s", none, got)
		}
	}
}
