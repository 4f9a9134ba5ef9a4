package representations

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/cbor"
	"github.com/tabernetes/tabernetes/core/protobuf"
	"github.com/tabernetes/tabernetes/web/internal/golden"
)

const (
	object = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a<b","resourceVersion":"7",` +
		`"managedFields":[{"manager":"me","operation":"Update"}]},"data":{"k":"v"}}`
	yaml = "apiVersion: v1\ndata:\n  k: v\nkind: ConfigMap\nmetadata:\n  name: a<b\n"
	grid = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name"},{"name":"Data"}],` +
		`"rows":[{"cells":["a<b",1]}]}`
	path = "/api/v1/namespaces/default/configmaps/a"
)

// answered returns a panel with every form as a server answers that writes CBOR or not.
func answered(t *testing.T, gate bool) *Panel {
	t.Helper()
	p := &Panel{}
	p.Open(path, "ConfigMap default/a<b", "configmaps", "obj-configmaps/default/a<b")
	p.Take("json", Answer{Request: 4, Status: 200, Type: "application/json", Body: object, Size: len(object),
		GzipSize: 120})
	p.Take("yaml", Answer{Request: 5, Status: 200, Type: "application/yaml", Body: yaml, Size: len(yaml)})
	p.Take("table", Answer{Request: 6, Status: 200, Type: "application/json", Body: grid, Size: len(grid)})
	proto, err := protobuf.FromJSON([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	p.Take("protobuf", Answer{Request: 7, Status: 200, Type: protobufType, Body: string(proto),
		Size: len(proto)})
	if !gate {
		p.Take("cbor", Answer{Request: 8, Status: 406, Type: "application/json", Body: `{"kind":"Status","message":"only …"}`,
			Size: 40})
		return p
	}
	item, err := cbor.FromJSON([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	p.Take("cbor", Answer{Request: 8, Status: 200, Type: "application/cbor", Body: string(item),
		Size: len(item)})
	return p
}

func column(v View, id string) Column {
	for _, c := range v.Columns {
		if c.ID == id {
			return c
		}
	}
	return Column{}
}

func TestSizes(t *testing.T) {
	p := &Panel{}
	p.Open(path, "a", "configmaps", "")
	if c := column(p.View(), "json"); !c.Waiting || c.Size != "" {
		t.Errorf("before an answer: %+v", c)
	}
	p.Take("protobuf", Answer{Status: 200, Type: protobufType, Body: "6b387300", Size: 611})
	if c := column(p.View(), "protobuf"); c.Size != "611 B" || c.Percent != "" || c.Share != 100 {
		t.Errorf("without JSON to compare with: %+v", c)
	}
	p.Take("json", Answer{Status: 200, Type: "application/json;charset=utf-8", Body: "{}", Size: 1204, GzipSize: 1000})
	v := p.View()
	if c := column(v, "json"); c.Size != "1,204 B" || c.Percent != "" || c.Share != 100 ||
		c.Answer != "200 OK, application/json;charset=utf-8, with gzip 1,000 B" {
		t.Errorf("JSON: %+v", c)
	}
	if c := column(v, "protobuf"); c.Percent != "51 %" || c.Share != 51 {
		t.Errorf("protobuf: %+v", c)
	}
	// An error is not the size of the object.
	p.Take("json", Answer{Status: 404, Type: "application/json", Body: `{"message":"not found"}`, Size: 5000})
	if c := column(p.View(), "json"); c.Size != "" || c.Problem != "not found" {
		t.Errorf("JSON that is not there: %+v", c)
	}
	if c := column(p.View(), "protobuf"); c.Percent != "" || c.Share != 100 {
		t.Errorf("protobuf without JSON: %+v", c)
	}
	p.Open(path, "b", "configmaps", "")
	if !column(p.View(), "protobuf").Waiting {
		t.Error("another object has the answers of the first")
	}
	p.Take("html", Answer{Status: 200})
}

func TestProblems(t *testing.T) {
	for name, test := range map[string]struct {
		form   string
		answer Answer
		want   string
		gate   bool
	}{
		"gate off": {"cbor", Answer{Status: 406}, "This API server does not write CBOR: " +
			"its feature gate CBORServingAndStorage is off, as it is by default.", true},
		"custom resource": {"protobuf", Answer{Status: 406}, "Objects of this kind have no protobuf: " +
			"only built-in kinds have messages, custom resources do not.", false},
		"no answer": {"json", Answer{Err: "offline"}, "There is no answer: offline", false},
		"gone": {"yaml", Answer{Status: 404, Body: `{"message":"configmaps \"a\" not found"}`},
			`configmaps "a" not found`, false},
		"no Status": {"yaml", Answer{Status: 502, Body: `<html>`}, "502 Bad Gateway", false},
		"another type": {"yaml", Answer{Status: 200, Type: "text/html", Body: "x"},
			"The API server answered with text/html instead.", false},
		"no table": {"table", Answer{Status: 200, Type: "application/json", Body: object},
			"The API server answered with the object instead of a Table.", false},
		"well": {"json", Answer{Status: 200, Type: "application/json", Body: object}, "", false},
	} {
		p := &Panel{}
		p.Open(path, "a", "", "")
		p.Take(test.form, test.answer)
		if c := column(p.View(), test.form); c.Problem != test.want || c.Gate != test.gate {
			t.Errorf("%s: %q, %v", name, c.Problem, c.Gate)
		}
	}
}

func TestChoice(t *testing.T) {
	p := &Panel{}
	chosen := func() string {
		s := ""
		for _, c := range p.View().Columns {
			if c.Shown {
				s += c.ID + " "
			}
			if c.Main {
				s += "! "
			}
		}
		return s
	}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, "json ! protobuf "},
		{func() { p.Toggle("cbor") }, "json protobuf cbor ! "},
		{func() { p.Toggle("json") }, "protobuf cbor ! "},
		{func() { p.Only("protobuf") }, "protobuf ! cbor "},
		{func() { p.Toggle("protobuf") }, "cbor ! "},
		{func() { p.Toggle("cbor") }, "cbor ! "},
		{func() { p.Only("yaml") }, "yaml ! cbor "},
		{func() { p.Open(path, "b", "", "") }, "yaml ! cbor "},
	} {
		step.do()
		if got := chosen(); got != step.want {
			t.Errorf("%s, want %s", got, step.want)
		}
	}
}

func TestMore(t *testing.T) {
	p := answered(t, true)
	before := column(p.View(), "protobuf").Document.Rows
	p.More("protobuf")
	p.More("nothing")
	if after := column(p.View(), "protobuf").Document.Rows; after <= before {
		t.Errorf("%d rows, then %d", before, after)
	}
}

func TestGolden(t *testing.T) {
	waiting := &Panel{}
	waiting.Open(path, "ConfigMap default/a", "configmaps", "obj-configmaps/default/a")
	cases := map[string]templ.Component{
		"none": Representations((&Panel{}).View()), "waiting": Representations(waiting.View()),
		"all": Representations(answered(t, true).View()), "gate-off": Representations(answered(t, false).View()),
		"skeleton": Skeleton(), "head": Head("ConfigMap default/a<b", "obj-configmaps/default/a", 31),
		"head-read": Head("ConfigMap default/a<b", "obj-configmaps/default/a", 0), "head-none": Head("", "", 0),
	}
	golden.Test(t, cases)
}
