package core

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/openapi"
)

// deepDefinition returns a definition of deeps.stable.example.com whose schema has so many levels.
func deepDefinition(levels int, kind string) string {
	return definitionWith(kind, strings.Repeat(`{"type":"object","properties":{"a":`, levels-1)+
		`{"type":"string"}`+strings.Repeat(`}}`, levels-1))
}

// wideDefinition returns a definition whose schema has so many properties.
func wideDefinition(properties int, kind string) string {
	list := make([]string, properties)
	for i := range list {
		list[i] = fmt.Sprintf(`"f%d":{"type":"string"}`, i)
	}
	return definitionWith(kind, `{"type":"object","properties":{"spec":{"type":"object","properties":{`+
		strings.Join(list, ",")+`}}}}`)
}

func definitionWith(kind, schema string) string {
	plural := strings.ToLower(kind) + "s"
	return fmt.Sprintf(`{"metadata":{"name":"%[1]s.stable.example.com"},"spec":{"group":"stable.example.com",
		"scope":"Namespaced","names":{"plural":%[1]q,"kind":%[2]q},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":%[3]s}}]}}`, plural, kind, schema)
}

// TestDeepSchemas has definitions that nest too deep refused with an error that says so, at a cost that their
// length bounds.
func TestDeepSchemas(t *testing.T) {
	c, _ := newCluster(t, Options{Controllers: true, OpenAPIv2: openapi.V2})
	for _, test := range []struct {
		levels, code int
		says         string
	}{
		{structural.MaxDepth, 201, ""},
		{structural.MaxDepth + 1, 422, "CustomResourceDefinition.apiextensions.k8s.io \\\"news.stable.example.com\\\" is " +
			"invalid: spec.validation.openAPIV3Schema: Invalid value: must have at most 64 levels of schemas within schemas"},
		{500, 400, "exceeded max depth: what is sent may nest 200 levels deep here"},
		{4900, 400, "exceeded max depth"},
		{9000, 400, "exceeded max depth"},
	} {
		kind := "New"
		if test.code == 201 {
			kind = "Deep"
		}
		body := deepDefinition(test.levels, kind)
		var code int
		var text string
		took := apitest.Allocated(func() { code, text = call(t, c, "POST", definitions, body) })
		if code != test.code || !strings.Contains(text, test.says) {
			t.Errorf("%d levels: %d %.300s", test.levels, code, text)
		}
		if most := int64(2<<20 + 50*len(body)); code != 201 && took > most {
			t.Errorf("%d levels: %d bytes were allocated for %d, more than %d", test.levels, took, len(body), most)
		}
	}
	condition(t, c, "deeps", "Established", "True")
	for path, most := range map[string]int64{"/openapi/v3/apis/stable.example.com/v1": 4 << 20, "/openapi/v2": 64 << 20} {
		took := apitest.Allocated(func() {
			if code, text := call(t, c, "GET", path, ""); code != 200 || !strings.Contains(text, "stable.v1.Deep") {
				t.Errorf("%s: %d %.300s", path, code, text)
			}
		})
		if took > most {
			t.Errorf("%s: %d bytes were allocated, more than %d", path, took, most)
		}
	}
}

// TestMemoryOfSchemas has definitions refused whose schemas would take too much memory, one by one and
// together; the rest is counted by how much memory is taken.
func TestMemoryOfSchemas(t *testing.T) {
	c, _ := newCluster(t, Options{Controllers: true, Quota: 64 << 20})
	code, text := call(t, c, "POST", definitions, wideDefinition(25_000, "Huge"))
	if code != 422 || !strings.Contains(text, "must be smaller: in use it would take more than 32 MiB of memory") {
		t.Errorf("one that is too large: %d %.300s", code, text)
	}
	start, kept := apitest.InUse(), 0
	for i := range 10 {
		code, text = call(t, c, "POST", definitions, wideDefinition(4000, fmt.Sprint("Wide", i)))
		if code != 201 {
			break
		}
		condition(t, c, fmt.Sprintf("wide%ds", i), "Established", "True")
		kept++
	}
	if code != 422 || !strings.Contains(text, "the schemas of all definitions may take 32768 KiB of memory") {
		t.Errorf("after %d definitions: %d %.300s", kept, code, text)
	}
	if took := apitest.InUse() - start; took > 48<<20 {
		t.Errorf("%d definitions take %d MiB", kept, took>>20)
	}
	must(t, c, 200, "DELETE", definitions+"/wide0s.stable.example.com", "")
	gone(t, c, definitions+"/wide0s.stable.example.com")
	must(t, c, 201, "POST", definitions, wideDefinition(3000, "Next"))
	must(t, c, 200, "PATCH", definitions+"/wide1s.stable.example.com", `{"metadata":{"labels":{"a":"b"}}}`)
}

// ruledSchema returns a schema with rules of so many characters each, which differ from those of other names.
func ruledSchema(name string, lengths ...int) string {
	rules := make([]string, len(lengths))
	for i, n := range lengths {
		end := fmt.Sprintf("self.%s==1", name)
		rules[i] = fmt.Sprintf(`{"rule":%q}`, strings.Repeat("self.a==1||", n)[:max(0, n-len(end))/11*11]+
			strings.Repeat(" ", max(0, n-len(end))%11)+end)
	}
	return `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"x-kubernetes-validations":[` +
		strings.Join(rules, ",") + `]}`
}

// TestRuleLimits has definitions refused whose rules would take seconds to compile, on a host without an evaluator as
// well, and counts the memory that programs take.
func TestRuleLimits(t *testing.T) {
	const most = structural.MaxExpression
	long := func(times int) []int { return slices.Repeat([]int{most}, times) }
	const heavy = ": Invalid value: must have CEL rules that take less work to compile: shorten the longest, or have fewer"
	for name, test := range map[string]struct {
		body string
		want string
	}{
		"usual":       {definitionWith("Usual", ruledSchema("a", slices.Repeat([]int{200}, 200)...)), ""},
		"the longest": {definitionWith("Longest", ruledSchema("a", long(3)...)), ""},
		"too long": {definitionWith("Long", ruledSchema("a", 100, most+1)),
			"spec.validation.openAPIV3Schema.x-kubernetes-validations[1].rule: Invalid value: "},
		"far too long": {definitionWith("Long", ruledSchema("a", 90_000)), "compilation failed: ERROR: <input>:-1:0: " +
			"expression code point size exceeds limit: size: 90000, limit 5000"},
		"a long message": {definitionWith("Long", strings.Replace(ruledSchema("a", 20), `"}]`, `","messageExpression":"'`+
			strings.Repeat("x", most)+`'"}]`, 1)), "x-kubernetes-validations[0].messageExpression: Invalid value: "},
		"many long": {definitionWith("Many", ruledSchema("a", long(4)...)), "spec.validation.openAPIV3Schema" + heavy},
		"very many": {definitionWith("Many", ruledSchema("a", slices.Repeat([]int{200}, 750)...)),
			"spec.validation.openAPIV3Schema" + heavy},
		"in versions": {strings.Replace(definitionWith("Versions", ruledSchema("a", long(2)...)), `"versions":[`,
			`"versions":[{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":`+
				ruledSchema("b", long(2)...)+`}},`, 1), "spec.versions" + heavy},
		"in equal versions": {strings.Replace(definitionWith("Equal", ruledSchema("a", long(2)...)), `"versions":[`,
			`"versions":[{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":`+
				ruledSchema("a", long(2)...)+`}},`, 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newCluster(t, Options{})
			took := apitest.Allocated(func() {
				code, text := call(t, c, "POST", definitions, test.body)
				message, _ := at(parsed(t, text), "message").(string)
				if want := map[bool]int{true: 201, false: 422}[test.want == ""]; code != want ||
					!strings.Contains(message, test.want) {
					t.Errorf("%d %.400s", code, text)
				}
			})
			if most := int64(64<<20 + 100*len(test.body)); took > most {
				t.Errorf("%d KiB were allocated", took>>10)
			}
		})
	}

	c, _ := newCluster(t, Options{Quota: 2 << 20})
	code, text := call(t, c, "POST", definitions, definitionWith("Large", ruledSchema("a", long(2)...)))
	if code != 422 || !strings.Contains(text, "the schemas of all definitions may take 1024 KiB of memory") {
		t.Errorf("%d %.300s", code, text)
	}
}

// gone waits until there is nothing at a path.
func gone(t *testing.T, h http.Handler, path string) {
	t.Helper()
	for {
		if code, _ := call(t, h, "GET", path, ""); code == 404 {
			return
		}
		runtime.Gosched()
	}
}

// TestDocumentsAreMadeOnce has many clients of several clusters ask for the same documents: each is made once,
// and what that took is given back.
func TestDocumentsAreMadeOnce(t *testing.T) {
	var all []*Cluster
	for range 4 {
		c, _ := newCluster(t, Options{Controllers: true, OpenAPIv2: openapi.V2, Build: "made-once"})
		must(t, c, 201, "POST", definitions, wideDefinition(5000, "Wide"))
		condition(t, c, "wides", "Established", "True")
		all = append(all, c)
	}
	start := apitest.InUse()
	took := apitest.Allocated(func() {
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				if code, _ := call(t, all[i%4], "GET", "/openapi/v2", ""); code != 200 {
					t.Error(code)
				}
			})
		}
		wg.Wait()
	})
	// Each request's answer is kept by the test: that is 40 times about 3 MB, twice when it grows.
	if took > 600<<20 {
		t.Errorf("%d MiB were allocated", took>>20)
	}
	if left := apitest.InUse() - start; left > 16<<20 {
		t.Errorf("%d MiB are left in use", left>>20)
	}
}

// TestLongNames has schemas and objects with names so long that their paths cannot be made for each value below
// them.
func TestLongNames(t *testing.T) {
	c, _ := newCluster(t, Options{Controllers: true})
	long := strings.Repeat("n", 500_000)
	list := make([]string, 10_000)
	for i := range list {
		list[i] = fmt.Sprintf(`"f%d":{"type":"string"}`, i)
	}
	valid := definitionWith("Long", `{"type":"object","properties":{"`+long+`":{"type":"object","properties":{`+
		strings.Join(list, ",")+`}}}}`)
	invalid := strings.ReplaceAll(valid, `"type":"string"`, `"title":"x"`)
	maps := definitionWith("Map", `{"type":"object","properties":{"a":{"type":"object","additionalProperties":`+
		`{"type":"object","properties":{"a":{"type":"string"}}}}}}`)
	for i := range list {
		list[i] = fmt.Sprintf(`"f%d":1`, i)
	}
	object := `{"apiVersion":"stable.example.com/v1","kind":"Map","metadata":{"name":"a"},"a":{"` + long + `":{` +
		strings.Join(list, ",") + `}}}`
	for _, test := range []struct {
		path, body string
		code       int
	}{
		{definitions, valid, 201},
		{definitions, strings.ReplaceAll(invalid, `longs`, `others`), 422},
		{definitions, maps, 201},
		{"/apis/stable.example.com/v1/namespaces/default/maps", object, 201},
	} {
		if strings.HasSuffix(test.path, "maps") {
			condition(t, c, "maps", "Established", "True")
		}
		took := apitest.Allocated(func() {
			if code, text := call(t, c, "POST", test.path, test.body); code != test.code {
				t.Errorf("%d %.300s", code, text)
			}
		})
		if most := int64(500 << 20); took > most {
			t.Errorf("%s %.60s: %d MiB were allocated", test.path, test.body, took>>20)
		}
	}
}
