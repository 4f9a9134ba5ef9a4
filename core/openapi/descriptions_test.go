package openapi

import "testing"

func TestDescriptions(t *testing.T) {
	d, err := ParseDescriptions([]byte("# a comment\nx.Pod A pod:\\nsee \\\\n.\n spec What is wanted.\n gone Of no " +
		"use.\nx.Empty \nx.Own Not this.\n"))
	if err != nil {
		t.Fatal(err)
	}
	pod := tree{"properties": tree{"spec": tree{"$ref": "#/x"}, "other": tree{}}}
	own := tree{"description": "Its own."}
	empty := tree{}
	d.Describe(tree{"components": tree{"schemas": tree{"x.Pod": pod, "x.Own": own, "x.Empty": empty,
		"x.Unknown": tree{}}}})
	if got := pod["description"]; got != "A pod:\nsee \\n." {
		t.Errorf("the type: %q", got)
	}
	spec := pod["properties"].(tree)["spec"].(tree)
	if spec["description"] != "What is wanted." || spec["$ref"] != nil || spec["allOf"] == nil {
		t.Errorf("the field: %v", spec)
	}
	if own["description"] != "Its own." || len(empty) > 0 {
		t.Errorf("%v, %v", own, empty)
	}
}

func TestParseDescriptionsRefuses(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "# one\n spec What is wanted.\n", "# one\nx.Pod\n",
		"<!doctype html>\n<p class=x>\n"} {
		if _, err := ParseDescriptions([]byte(text)); err == nil {
			t.Errorf("%q is taken for descriptions", text)
		}
	}
}

// FuzzDescriptions parses texts; what can be parsed can be added to a document.
func FuzzDescriptions(f *testing.F) {
	for _, text := range []string{"# v1\nio.k8s.api.core.v1.Pod Pod is.\n spec Of the pod.\n", "# v1\n", "",
		"# v1\n a b\n",
		"# v1\na b\n\n", "#\na \\\\n\\\n b c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDescriptions([]byte(text))
		if err != nil {
			return
		}
		pod := tree{"properties": tree{"spec": tree{"$ref": "x"}}}
		d.Describe(tree{"components": tree{"schemas": tree{"io.k8s.api.core.v1.Pod": pod}}})
	})
}
