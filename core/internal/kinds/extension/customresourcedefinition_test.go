package extension

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/schema"
)

const goodDefinition = `{"metadata":{"name":"crontabs.stable.example.com"},"spec":{"group":"stable.example.com",
	"scope":"Namespaced",
	"names":{"plural":"crontabs","kind":"CronTab"},"versions":[{"name":"v1","served":true,"storage":true,
	"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
	"properties":{"a":{"type":"string"}}}}}}}]}}`

// definitionOf is the good definition with some parts replaced.
func definitionOf(t *testing.T, replace ...string) map[string]any {
	t.Helper()
	obj, _, err := object.Decode([]byte(strings.NewReplacer(replace...).Replace(goodDefinition)),
		schema.TypeOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))
	if err != nil {
		t.Fatal(err)
	}
	defaultDefinition(obj)
	return obj
}

func TestValidateDefinition(t *testing.T) {
	const label = " a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
		"alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for " +
		"validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
	for name, test := range map[string]struct {
		replace []string
		want    []string
	}{
		"good": {nil, []string{}},
		"name": {
			[]string{`"name":"crontabs.stable`, `"name":"other.stable`},
			[]string{`metadata.name: Invalid value: "other.stable.example.com": must be spec.names.plural+"."+spec.group`},
		},
		"scope": {
			[]string{"Namespaced", "Galaxy"},
			[]string{`spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"`},
		},
		"kind": {
			[]string{`"kind":"CronTab"`, `"singular":"x","kind":"Cron_Tab"`},
			[]string{
				`spec.names.kind: Invalid value: "Cron_Tab": may have mixed case, but should otherwise match:` + label,
				`spec.names.listKind: Invalid value: "Cron_TabList": may have mixed case, but should otherwise match:` + label,
			},
		},
		"stored": {
			[]string{`"storage":true`, `"storage":false`},
			[]string{`spec.versions: Invalid value: ` +
				`[{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,` +
				`"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version ` +
				`marked as storage version`, "status.storedVersions: Invalid value: null: must have at least one stored version"},
		},
		"schema": {
			[]string{`"type":"string"`, `"type":"string","default":1`},
			[]string{`spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "integer":  in ` +
				`body must be of type string: "integer"`},
		},
		"group": {
			[]string{"stable.example.com", "a.k8s.io"},
			[]string{`metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval ` +
				`annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`},
		},
		"scale": {
			[]string{`"storage":true`,
				`"storage":true,"subresources":{"scale":{"specReplicasPath":".a","statusReplicasPath":""}}`},
			[]string{`spec.subresources.scale.specReplicasPath: Invalid value: ".a": should be a json path under .spec`,
				"spec.subresources.scale.statusReplicasPath: Required value"},
		},
		"column": {
			[]string{`"storage":true`, `"storage":true,"additionalPrinterColumns":[{"name":"A","type":"x","jsonPath":"a"}]`},
			[]string{`spec.additionalPrinterColumns[0].type: Invalid value: "x": must be one of ` +
				`boolean,date,integer,number,string`,
				`spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .`},
		},
		"fields": {
			[]string{`"storage":true`,
				`"storage":true,"selectableFields":[{"jsonPath":".spec"},{"jsonPath":".spec.b"},{"jsonPath":".spec.a"},` +
					`{"jsonPath":".spec.a"}]`},
			[]string{`spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, ` +
				`boolean or integer. Enum string fields and strings with formats are allowed.`,
				`spec.selectableFields[1].jsonPath: Invalid value: ".spec.b": is an invalid path: does not refer to a valid field`,
				`spec.selectableFields[3].jsonPath: Duplicate value: ".spec.a"`},
		},
		"status": {
			[]string{`"storage":true`, `"storage":true,"subresources":{"status":{}}`, `{"type":"object","properties":{"spec"`,
				`{"properties":{"spec"`},
			[]string{`spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root`},
		},
	} {
		obj := definitionOf(t, test.replace...)
		res := schema.Resource{Behaviour: schema.Behaviour{NameRule: schema.DNSSubdomain}}
		errs := metadata.ValidateNamed(&res, obj, CustomResourceDefinition.Name)
		if got := append(errs, validateDefinition(obj)...).Texts(); !slices.Equal(got, test.want) {
			t.Errorf("%s\n got %q\nwant %q", name, got, test.want)
		}
	}
}

func TestValidateDefinitionUpdate(t *testing.T) {
	old := definitionOf(t)
	change := definitionOf(t, "Namespaced", "Cluster", `"CronTab"`, `"Other"`, `"v1"`, `"v2"`)
	object.SetNested(change, []any{"v1", "v2"}, "status", "storedVersions")
	const gone = `status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a ` +
		`storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ` +
		`v1 and removes v1 from status.storedVersions`
	if got := validateDefinitionUpdate(change, old).Texts(); !slices.Equal(got, []string{gone}) {
		t.Errorf("before it is established: %q", got)
	}
	object.SetNested(old, []any{map[string]any{"type": "Established", "status": "True"}}, "status", "conditions")
	want := []string{`spec.scope: Invalid value: "Cluster": field is immutable`,
		`spec.names.kind: Invalid value: "Other": field is immutable`, gone}
	if got := validateDefinitionUpdate(change, old).Texts(); !slices.Equal(got, want) {
		t.Errorf("once it is established: %q", got)
	}
}

// TestManyRules has definitions refused whose rules take too much work; one that is stored already may be changed.
func TestManyRules(t *testing.T) {
	rule := `{"rule":"` + strings.Repeat("1==1||", 800) + `true"}`
	many := definitionOf(t, `"type":"object"`, `"type":"object","x-kubernetes-validations":[`+
		strings.TrimSuffix(strings.Repeat(rule+",", 10), ",")+`]`)
	want := []string{"spec.validation.openAPIV3Schema: Invalid value: must have CEL rules that take less work to " +
		"compile: shorten the longest, or have fewer of them"}
	if got := validateDefinition(many).Texts(); !slices.Equal(got, want) {
		t.Errorf("a new one: %q", got)
	}
	if got := validateDefinitionUpdate(many, definitionOf(t)).Texts(); !slices.Equal(got, want) {
		t.Errorf("a changed one: %q", got)
	}
	if got := validateDefinitionUpdate(many, many).Texts(); len(got) > 0 {
		t.Errorf("one as before: %q", got)
	}
}

func TestWarnFormats(t *testing.T) {
	c := &strategy.Context{}
	obj := definitionOf(t, `"type":"string"`, `"type":"string","format":"nobody-knows"`)
	warnFormats(c, obj, nil)
	warnFormats(c, obj, obj)
	if !slices.Equal(c.Warnings, []string{`unrecognized format "nobody-knows"`}) {
		t.Errorf("%q", c.Warnings)
	}
}

// TestEmbedded checks the metadata of embedded objects.
func TestEmbedded(t *testing.T) {
	s := structural.Parse(objecttest.Parse(t, `{"properties":{"t":{"type":"array","items":{"type":"object",
		"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}}`))
	for _, test := range []struct {
		object   string
		problems []string
		errs     []string
	}{
		{`{"t":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}]}`, nil, []string{}},
		{`{"t":[{"apiVersion":"v1","kind":"Pod","metadata":{"nope":1}}]}`, []string{`unknown field "t[0].metadata.nope"`},
			[]string{}},
		{`{"t":[{"metadata":{"name":"a/b"}}]}`, nil, []string{"t[0].apiVersion: Required value", "t[0].kind: Required value",
			`t[0].metadata.name: Invalid value: "a/b": may not contain '/'`}},
		{`{"t":[{"apiVersion":1,"kind":"Pod"}]}`, []string{"t[0].apiVersion: Invalid value: 1: must be a string"}, nil},
		{`{"t":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":1}}]}`, []string{
			`t[0].metadata: Invalid value: ` +
				`{"name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`}, nil},
	} {
		obj := objecttest.Parse(t, test.object)
		problems, wrong := CoerceEmbedded(obj, s, "")
		if wrong != nil {
			if !slices.Equal([]string{wrong.Error()}, test.problems) {
				t.Errorf("%s: %v, want %q", test.object, wrong, test.problems)
			}
			continue
		}
		if got := checkEmbedded(obj, s, "").Texts(); !slices.Equal(problems, test.problems) ||
			!slices.Equal(got, test.errs) {
			t.Errorf("%s: %q and %q, want %q and %q", test.object, problems, got, test.problems, test.errs)
		}
	}
}
