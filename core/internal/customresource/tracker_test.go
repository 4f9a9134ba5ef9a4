package customresource

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/core/schema"
)

// definition returns an established definition of a type with so many versions, which have a schema of one property.
func definition(i, versions int) string {
	list := make([]string, versions)
	for n := range list {
		list[n] = fmt.Sprintf(`{"name":"v%d","served":true,"storage":%t,"subresources":{"status":{}},"schema":{
			"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"string"}}}}}`, n+1, n == 0)
	}
	return fmt.Sprintf(`{"metadata":{"name":"t%[1]ds.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
		"versions":[%[2]s]},"status":{"acceptedNames":{"plural":"t%[1]ds","kind":"T%[1]d","listKind":"T%[1]dList"},
		"conditions":[{"type":"Established","status":"True"}]}}`, i, strings.Join(list, ","))
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	crd, _, err := object.Decode([]byte(text), schema.TypeOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// TestManyVersions has definitions refused when those that are there have all the versions that a cluster may have, or
// all the memory. More are stored in a snapshot; they are not served, and can be deleted.
func TestManyVersions(t *testing.T) {
	for _, test := range []struct {
		most size
		says string
	}{
		{size{1 << 30, 8}, "all definitions may have 8 versions together, of which 1 are left, and this one has 2"},
		{size{7*(memoryOfVersion+4000) + 10_000, 1 << 20}, "the schemas of all definitions may take 205 KiB of memory, of " +
			"which 14 KiB are left, and those of this one need about 55 KiB"},
	} {
		table := schema.Builtin()
		before := len(table.Resources())
		tracker := NewTracker(table, structural.Unevaluated{}, 0)
		tracker.most = test.most
		check := func(text, says string) {
			t.Helper()
			errs := tracker.Check(t.Context(), decoded(t, text))
			if says == "" && len(errs) == 0 {
				return
			}
			if want := "spec.versions: Invalid value: " + says; len(errs) != 1 || errs.Message() != want {
				t.Errorf("%s\nwant %s", errs.Message(), want)
			}
		}
		observe := func(i int, text string) {
			tracker.Observe(fmt.Sprintf("t%ds.example.com", i), []byte(text), 1)
		}
		for i := range 7 {
			check(definition(i, 1), "")
			observe(i, definition(i, 1))
		}
		check(definition(7, 2), test.says)
		check(definition(6, 1), "") // it is there
		ending := decoded(t, definition(7, 2))
		object.SetNested(ending, "2026-01-01T00:00:00Z", "metadata", "deletionTimestamp")
		if errs := tracker.Check(t.Context(), ending); len(errs) > 0 {
			t.Errorf("one that is being deleted: %s", errs.Message())
		}
		for i := 7; i < 20; i++ { // as a snapshot may have them
			observe(i, definition(i, 1))
		}
		if served := len(table.Resources()) - before; served < 8 || served > 10 {
			t.Errorf("%d types are served", served)
		}
		for i := range 20 {
			tracker.Observe(fmt.Sprintf("t%ds.example.com", i), nil, 1)
		}
		if len(table.Resources()) != before || tracker.all != (size{}) || len(tracker.took) != 0 {
			t.Errorf("%v are left", tracker.all)
		}
	}
}

// TestMemoryOfVersions compares the estimate of a version with what its row takes, with what is derived of it, and what
// a document says about it.
func TestMemoryOfVersions(t *testing.T) {
	const types = 300
	table := schema.Builtin()
	tracker := NewTracker(table, structural.Unevaluated{}, 1<<30)
	for i := range types {
		tracker.Observe(fmt.Sprint(i), []byte(definition(i, 1)), 1)
		if i == types/3 { // what is needed for the first ones is of all
			for _, row := range table.GroupVersion("example.com", "v1") {
				openapi.Length(row)
			}
		}
	}
	start := apitest.InUse()
	for i := range types {
		tracker.Observe(fmt.Sprint(types+i), []byte(definition(types+i, 1)), 1)
	}
	for _, row := range table.GroupVersion("example.com", "v1") {
		openapi.Length(row)
		row.Type()
	}
	grown := apitest.InUse() - start
	text, err := openapi.V3(openapi.Parts("example.com", "v1", "v1", table.GroupVersion("example.com", "v1")), "v1")
	if err != nil {
		t.Fatal(err)
	}
	takes := grown/types + int64(text.Len())/types/2
	t.Logf("a row takes %d bytes, and its part of a document %d", grown/types, text.Len()/types/2)
	if takes > memoryOfVersion || takes < memoryOfVersion/3 {
		t.Errorf("%d bytes, not about %d", takes, memoryOfVersion)
	}
	runtime.KeepAlive(tracker)
}
