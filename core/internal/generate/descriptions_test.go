package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

const definitions = `package openapi

import (
	v1 "k8s.io/api/core/v1"
	resource "k8s.io/apimachinery/pkg/api/resource"
)

func GetOpenAPIDefinitions(ref R) map[string]D {
	return map[string]D{
		v1.Pod{}.OpenAPIModelName(): schema_Pod(ref),
		resource.Quantity{}.OpenAPIModelName(): schema_Quantity(ref),
	}
}

func schema_Pod(ref R) D {
	return D{Schema: spec.Schema{SchemaProps: spec.SchemaProps{
		Description: "A \"pod\".",
		Properties: map[string]spec.Schema{
			"spec": {SchemaProps: spec.SchemaProps{Description: "What\nis wanted."}},
			"kind": {SchemaProps: spec.SchemaProps{Type: []string{"string"}}},
		},
	}}}
}

func schema_Quantity(ref R) D {
	return common.Both(D{Schema: spec.Schema{SchemaProps: spec.SchemaProps{Description: "A number."}}}, D{})
}
`

func TestReadDescriptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "definitions.go")
	if err := os.WriteFile(file, []byte(definitions), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := readDescriptions(file)
	want := map[string]description{
		"io.k8s.api.core.v1.Pod":                        {`A "pod".`, map[string]string{"spec": "What\nis wanted."}},
		"io.k8s.apimachinery.pkg.api.resource.Quantity": {"A number.", map[string]string{}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}
