package apiserver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/cbor"
)

const asCBOR, inCBOR = "Accept: application/cbor", "Content-Type: application/cbor"

// cborOf returns a JSON document in CBOR.
func cborOf(t *testing.T, document string) string {
	t.Helper()
	b, err := cbor.FromJSON([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func newCBORServer(t *testing.T) *Server {
	s := newServer(t)
	s.CBOR = func() bool { return true }
	return s
}

// If it is disabled, it is an unknown media type.
func TestCBORIsOff(t *testing.T) {
	const body = "\xd9\xd9\xf7\xa0"
	run(t, newServer(t), []exchange{
		{"GET", configMaps, asCBOR, "", 406,
			`"406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, ` +
				`application/vnd.kubernetes.protobuf, application/json;stream=watch, ` +
				`application/vnd.kubernetes.protobuf;stream=watch"`},
		{"GET", configMaps + "?watch=1", "Accept: application/cbor-seq", "", 406,
			`Available representations: application/json, `},
		{"GET", "/api/v1", asCBOR, "", 406,
			`Available representations: application/json, application/yaml, application/vnd.kubernetes.protobuf"`},
		{"POST", configMaps, inCBOR, body, 415,
			`accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf"`},
		{"PATCH", configMaps + "/a?fieldManager=m", "Content-Type: application/apply-patch+cbor", body, 415,
			`"415: Unsupported Media Type"`},
		{"DELETE", configMaps + "/a", inCBOR, body, 415, `application/vnd.kubernetes.protobuf"`},
	})
}

func TestCBOR(t *testing.T) {
	const seq = "Accept: application/cbor-seq"
	s := newCBORServer(t)
	secret := cborOf(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"k":"AQI="}}`)
	a := cborOf(t, `{"metadata":{"name":"a","labels":{"l":"1"}},"data":{"k":"v"}}`)
	run(t, s, []exchange{
		{"POST", configMaps, inCBOR, a, 201, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a",`},
		{"POST", "/api/v1/namespaces/default/secrets", inCBOR + "\n" + asCBOR, secret, 201,
			"\x44data\xa1\x41k\xd6\x42\x01\x02\x44kind\x46Secret"},
		{"GET", "/api/v1/namespaces/default/secrets/s", "", "", 200, `"data":{"k":"AQI="}`},
		{"PUT", configMaps + "/a", inCBOR, cborOf(t, `{"metadata":{"name":"a"},"data":{"k":"w"}}`), 200, `"data":{"k":"w"}`},
		{"PATCH", configMaps + "/a?fieldManager=m&force=1", "Content-Type: application/apply-patch+cbor\n" + asCBOR,
			cborOf(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"x"}}`), 200,
			"\x44data\xa1\x41k\x41x"},
		{"PATCH", configMaps + "/a", "Content-Type: application/merge-patch+json\n" + asCBOR, `{"data":{"k":"y"}}`, 200,
			"\x44data\xa1\x41k\x41y"},
		{"GET", configMaps + "/a", "Accept: application/cbor;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "", 200,
			"\x44kind\x55PartialObjectMetadata"},
		{"GET", configMaps, "Accept: application/cbor;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "", 200,
			"\x58\x19PartialObjectMetadataList"},
		{"GET", configMaps, asCBOR, "", 200, "\x44kind\x4dConfigMapList\x45items\x81\xa2\x44data"},
		{"GET", "/api/v1", asCBOR, "", 200, "\x44kind\x4fAPIResourceList"},
		{"GET", "/apis", asCBOR, "", 200, "\x44kind\x4cAPIGroupList"},
		{"GET", "/apis/apps", asCBOR, "", 200, "\x44kind\x48APIGroup"},
		{"GET", configMaps + "/b", asCBOR, "", 404, "\x44kind\x46Status"},
		{"GET", configMaps + "?watch=1&timeoutSeconds=-1", asCBOR, "", 200,
			"\xd9\xd9\xf7\xa2\x44type\x45ADDED\x46object\xd9\xd9\xf7\xa4\x44data"},

		// There are no Tables in CBOR, nor documents that the real server makes without the group's codecs.
		{"GET", configMaps, "Accept: application/cbor;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;" +
			"g=meta.k8s.io", "", 200, `{"kind":"Table"`},
		{"GET", "/api", asCBOR, "", 406,
			"Available representations: application/json, application/yaml, application/vnd.kubernetes.protobuf\""},
		{"GET", "/version", asCBOR, "", 406, ""},

		// Lists.
		{"GET", configMaps, "Accept: text/html", "", 406,
			`Available representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, ` +
				`application/cbor, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch, ` +
				`application/cbor-seq"`},
		{"GET", configMaps, seq, "", 406,
			`"only the following media types are accepted: application/json, application/yaml, ` +
				`application/vnd.kubernetes.protobuf, application/cbor"`},
		{"GET", configMaps + "?watch=1", "Accept: application/yaml", "", 406,
			"application/vnd.kubernetes.protobuf;stream=watch, application/cbor-seq'"},
		{"POST", configMaps, "Content-Type: text/html", "x", 415, `application/vnd.kubernetes.protobuf, application/cbor"`},

		// Errors.
		{"POST", configMaps, inCBOR, "", 400,
			`"the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: EOF ` +
				`(\u003cempty\u003e)"`},
		{"POST", configMaps, inCBOR, a + "\x00", 400,
			"unable to determine group/version/kind: cbor: 1 bytes of extraneous data starting at index "},
		{"POST", configMaps, inCBOR, "\xa1\x44data\xa2\x41a\x01\x41a\x02", 400,
			`ConfigMap in version \"v1\" cannot be handled as a ConfigMap: ` +
				`cbor: found duplicate map key \"a\" at map element index 1"`},
		{"POST", configMaps, inCBOR, cborOf(t, `{"apiVersion":"v1","kind":"Secret"}`), 400,
			"cannot be handled as a ConfigMap: converting"},
		{"POST", configMaps + "?fieldValidation=Strict", inCBOR, cborOf(t, `{"metadata":{"name":"b"},"x":1}`), 400,
			"strict decoding error"},
		{"PATCH", configMaps + "/a?fieldManager=m", "Content-Type: application/apply-patch+cbor", "\x01", 400,
			`"error decoding YAML: cbor: cannot unmarshal positive integer into Go value of type map[string]interface {}"`},
		{"PATCH", configMaps + "/a", "Content-Type: application/apply-patch+cbor", a, 422,
			"fieldManager: Required value: is required for apply patch"},

		{"DELETE", configMaps + "/a", inCBOR, "\xff", 400, "unable to determine group/version/kind: cbor: unexpected"},
		{"DELETE", configMaps + "/a", inCBOR,
			cborOf(t, `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"x"}}`), 409,
			"the UID in the precondition (x)"},
		{"DELETE", configMaps + "/a", inCBOR + "\n" + asCBOR,
			cborOf(t, `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`), 200, "\x47Success"},
	})
	for path, want := range map[string]string{configMaps: "application/cbor", configMaps +
		"?watch=1&timeoutSeconds=-1": "application/cbor-seq"} {
		if got := (exchange{method: http.MethodGet, path: path,
			header: asCBOR}).do(s).Header().Get("Content-Type"); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// A list in CBOR equals the list in JSON.
func TestCBORListIsTheList(t *testing.T) {
	s := newCBORServer(t)
	for _, name := range strings.Fields("a b c") {
		run(t, s, []exchange{{"POST", configMaps, "", `{"metadata":{"name":"` + name +
			`"},"data":{"k":"\u2028<"},"binaryData":{"b":"AQI="}}`, 201, ""}})
	}
	list := exchange{method: http.MethodGet, path: configMaps}
	want := list.do(s).Body.String()
	list.header = asCBOR
	if got := list.do(s).Body.String(); got != cborOf(t, want) {
		t.Errorf("got %x\nof %s", got, want)
	}
}
