package apiserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

const asTable = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io"

const tableHead = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":`

func TestTables(t *testing.T) {
	const (
		scale    = "/apis/apps/v1/namespaces/default/deployments/d"
		flows    = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
		hpas     = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
		daemons  = "/apis/apps/v1/namespaces/default/daemonsets"
		template = `"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},` +
			`"spec":{"containers":[{"name":"c","image":"i"}]}}`
	)
	flow := func(name string, precedence int) string {
		return fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"matchingPrecedence":%d,`+
			`"priorityLevelConfiguration":{"name":"x"}}}`, name, precedence)
	}
	s := newServer(t)
	run(t, s, []exchange{
		{"POST", configMaps, asTable, `{"metadata":{"name":"a"},"data":{"k":"v"}}`, 201, tableHead +
			`{"resourceVersion":"3"},"columnDefinitions":[{"name":"Name","type":"string","format":"name",`},
		{"GET", configMaps, asTable, "", 200,
			`"rows":[{"cells":["a",1,"0s"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",` +
				`"metadata":{"name":"a",`},
		{"GET", configMaps + "?includeObject=Object", asTable, "", 200, `"object":{"kind":"ConfigMap","apiVersion":"v1",`},
		{"GET", configMaps + "?includeObject=None", asTable, "", 200, `"rows":[{"cells":["a",1,"0s"],"object":null}]}`},
		{"GET", configMaps + "?includeObject=none", asTable, "", 400, `must be 'Metadata', 'Object', 'None', or empty`},
		{"GET", configMaps + "?watch=1&includeObject=none", asTable, "", 400, `includeObject: Invalid value: \"none\"`},
		{"GET", configMaps + "?includeObject=none", asPartialList, "", 200, `"kind":"PartialObjectMetadataList"`},
		{"GET", configMaps + "?labelSelector=no", asTable, "", 200, `"rows":[]}`},
		{"GET", configMaps + "/a", "Accept: application/yaml;as=Table;v=v1beta1;g=meta.k8s.io", "", 200,
			"apiVersion: meta.k8s.io/v1beta1\ncolumnDefinitions:\n"},
		{"GET", configMaps + "/a", "Accept: application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", "", 406, ""},

		// A subresource has its own columns.
		{"POST", "/apis/apps/v1/namespaces/default/deployments", "", `{"metadata":{"name":"d"},"spec":{"replicas":3,` +
			template + `}}`, 201, ""},
		{"GET", scale + "/scale", asTable, "", 200, `"rows":[{"cells":["d",3,0,"0s"]`},
		{"GET", scale + "/status", asTable, "", 200, `"rows":[{"cells":["d","0/3",0,0,"0s","c","i","a=b"]`},

		// Cells are made from the stored version, and so is the metadata.
		{"POST", hpas, "", `{"metadata":{"name":"h"},"spec":{"maxReplicas":3,"targetCPUUtilizationPercentage":50,` +
			`"scaleTargetRef":{"kind":"D","name":"d","apiVersion":"apps/v1"}}}`, 201, ""},
		{"GET", hpas, asTable, "", 200, `"cells":["h","D/d","cpu: \u003cunknown\u003e/50%","1",3,0,"0s"]`},
		{"POST", daemons, "", `{"metadata":{"name":"d","annotations":{"x":"y"}},"spec":{` + template + `}}`, 201,
			`"deprecated.daemonset.template.generation":"1"`},
		{"GET", daemons, asTable, "", 200, `"annotations":{"x":"y"},"managedFields"`},
		{"GET", daemons + "/d", asPartial, "", 200, `"annotations":{"x":"y"},"managedFields"`},

		{"POST", flows, "", flow("one", 200), 201, ""},
		{"POST", flows, "", flow("two", 100), 201, ""},
		{"GET", flows + "?includeObject=None", asTable, "", 200,
			`"rows":[{"cells":["two","x",100,"\u003cnone\u003e","0s","?"],"object":null},{"cells":["one",`},
	})
	s.Registry.Clock.(*clock.Manual).Advance(90 * time.Minute)
	run(t, s, []exchange{{"GET", configMaps, asTable, "", 200, `"cells":["a",1,"90m"]`}})
}

func TestTablesOfCustomResources(t *testing.T) {
	s := newServer(t)
	s.Table.Add(&schema.Resource{
		Group: "example.com", Version: "v1", Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList",
		Verbs: []string{"create", "get", "list", "watch"}, StoragePrefix: "/registry/widgets",
		Columns: []schema.Column{{Name: "Size", Type: "integer", JSONPath: ".spec.size"}},
	})
	const widgets = "/apis/example.com/v1/widgets"
	run(t, s, []exchange{
		{"POST", widgets, "", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":3}}`,
			201, ""},
		{"GET", widgets, asTable, "", 200,
			`{"name":"Size","type":"integer","format":"","description":"Custom resource definition column (in JSONPath ` +
				`format): .spec.size","priority":0}],"rows":[{"cells":["a",3],`},
		{"GET", widgets + "/a", asPartialList, "", 406, "(*unstructured.Unstructured)"},
		{"GET", widgets, asPartial, "", 406, "(*unstructured.UnstructuredList)"},
	})
}

func TestWatchedTables(t *testing.T) {
	s := newServer(t)
	watch := configMaps + "?watch=1&timeoutSeconds=-1&allowWatchBookmarks=true&sendInitialEvents=true&" +
		"resourceVersionMatch=NotOlderThan"
	run(t, s, []exchange{
		{"POST", configMaps, "", `{"metadata":{"name":"a"}}`, 201, ""},
		{"POST", configMaps, "", `{"metadata":{"name":"b"}}`, 201, ""},
	})
	for include, bookmark := range map[string]string{
		"":         `{"kind":"PartialObjectMetadata",`,
		"Metadata": `{"kind":"PartialObjectMetadata",`,
		"Object":   `{"kind":"ConfigMap","apiVersion":"v1",`,
		"None":     `{"kind":"PartialObjectMetadata",`, // the end of the initial events has to be visible
	} {
		e := exchange{method: "GET", path: watch + "&includeObject=" + include, header: asTable}
		lines := strings.Split(e.do(s).Body.String(), "\n")
		for i, want := range []string{
			`{"type":"ADDED","object":` + tableHead + `{"resourceVersion":"3"},"columnDefinitions":[{"name":"Name",`,
			`{"type":"ADDED","object":` + tableHead +
				`{"resourceVersion":"4"},"columnDefinitions":null,"rows":[{"cells":["b",0,"0s"],`,
			`{"type":"BOOKMARK","object":` + tableHead +
				`{"resourceVersion":"4"},"columnDefinitions":null,"rows":[{"cells":["",0,"\u003cunknown\u003e"],"object":` +
				bookmark,
		} {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("includeObject=%s: %s\nwant %s", include, lines[i], want)
			}
		}
	}
}

// The table of an event is made once for all watches, while the ages in it are valid.
func TestEventsAreSharedByRepresentation(t *testing.T) {
	s := newServer(t)
	configs := s.Table.Resource("", "v1", "configmaps")
	target := registry.Target{Resource: configs, Namespace: "default"}
	run(t, s, []exchange{{"POST", configMaps, "", `{"metadata":{"name":"a"}}`, 201, ""}})
	show := func(as conversion, media mediaType, include string) []byte {
		t.Helper()
		w, err := s.Registry.Through(nil).Watch(t.Context(), target, registry.ListOptions{ResourceVersion: "2"})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		events, err := w.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var c *converter
		if as.kind != "" {
			c = &converter{conversion: as, server: s, include: include, headless: true}
		}
		shown, err := media.eventObject(c, events[0])
		if err != nil {
			t.Fatal(err)
		}
		return shown
	}
	all := map[*byte]string{}
	for _, as := range []conversion{{kindTable, "v1"}, {kindTable, "v1beta1"}, {kindPartial, "v1"}} {
		for _, include := range []string{includeNone, includeObject} {
			name := as.kind + as.version + include
			first, second := show(as, mediaJSON, include), show(as, mediaJSON, include)
			if &first[0] != &second[0] {
				t.Errorf("%s is made twice", name)
			}
			if other, ok := all[&first[0]]; ok && as.kind == kindTable {
				t.Errorf("%s is shown as %s", name, other)
			}
			all[&first[0]] = name
		}
	}
	for _, media := range []mediaType{mediaProtobuf, mediaCBOR} {
		if first, second := show(conversion{}, media, ""), show(conversion{}, media, ""); &first[0] != &second[0] {
			t.Errorf("%s is made twice", media)
		}
	}
	table := conversion{kindTable, "v1"}
	early := string(show(table, mediaJSON, includeNone))
	s.Registry.Clock.(*clock.Manual).Advance(5 * time.Minute)
	late := string(show(table, mediaJSON, includeNone))
	if !strings.Contains(early, `"0s"`) || !strings.Contains(late, `"5m"`) {
		t.Errorf("%s\n%s", early, late)
	}
}

func BenchmarkTableOf500Pods(b *testing.B) {
	s := newServer(b)
	const pods = "/api/v1/namespaces/default/pods"
	for i := range 500 {
		e := exchange{method: "POST", path: pods,
			body: fmt.Sprintf(`{"metadata":{"name":"p%d","labels":{"app":"web"},"annotations":{"note":%q}},
			"spec":{"containers":[{"name":"web","image":"nginx:1.27","resources":{"requests":{"cpu":"100m"}}}]}}`, i,
				strings.Repeat("x", 700))}
		if w := e.do(s); w.Code != 201 {
			b.Fatal(w.Body)
		}
	}
	for name, accept := range map[string]string{"list": "application/json", "partial": asPartialList[len("Accept: "):],
		"table": asTable[len("Accept: "):]} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest("GET", pods+"?limit=500", nil)
				r.Header.Set("Accept", accept)
				w := &counted{header: http.Header{}}
				s.ServeHTTP(w, r)
				b.SetBytes(w.bytes)
			}
		})
	}
}

// counted is a ResponseWriter that keeps nothing: what a recorder keeps would be measured, too.
type counted struct {
	header http.Header
	bytes  int64
}

func (c *counted) Header() http.Header { return c.header }
func (c *counted) WriteHeader(int)     {}
func (c *counted) Write(b []byte) (int, error) {
	c.bytes += int64(len(b))
	return len(b), nil
}
