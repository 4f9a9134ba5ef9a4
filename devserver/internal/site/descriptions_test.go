package site

import (
	"context"
	"testing"
)

const describer = `package main

import "os"

func main() { os.WriteFile(os.Args[2], []byte("# VERSION "+os.Args[1]), 0o644) }
`

// TestDescriptions generates once, and again for another generator.
func TestDescriptions(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	write(t, root, map[string]string{"go.mod": "module tiny\n\ngo 1.26\n"})
	if text, err := Descriptions(context.Background(), root, cache); text != nil || err != nil {
		t.Errorf("without a generator: %q, %v", text, err)
	}
	write(t, root, map[string]string{"core/internal/generate/descriptions.go": describer})
	for _, want := range []string{"# VERSION -descriptions", "# kept"} { // made, then from the cache
		text, err := Descriptions(context.Background(), root, cache)
		if err != nil || string(text) != want {
			t.Fatalf("%q instead of %q, %v", text, want, err)
		}
		kept, err := sources(cache+"/descriptions", "descriptions/")
		if err != nil || len(kept) != 1 {
			t.Fatalf("kept %v, %v", kept, err)
		}
		for name := range kept {
			write(t, cache, map[string]string{name: "# kept"})
		}
	}
	write(t, root, map[string]string{
		"core/internal/generate/more.go": "package main\n\nimport \"os\"\n\nfunc init() { os.Args[1] = \"2\" }\n",
	})
	text, err := Descriptions(context.Background(), root, cache)
	if err != nil || string(text) != "# VERSION 2" {
		t.Errorf("another generator: %q, %v", text, err)
	}
}
