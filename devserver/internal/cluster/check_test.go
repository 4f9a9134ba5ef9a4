package cluster

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
)

// TestDamagedDirectory is what a server, check and salvage say of a log that was cut
// between two frames, and of one that is missing.
func TestDamagedDirectory(t *testing.T) {
	for name, damage := range map[string]func(log string, before []byte) error{
		"cut":     func(log string, before []byte) error { return os.WriteFile(log, before, 0o600) },
		"empty":   func(log string, _ []byte) error { return os.WriteFile(log, nil, 0o600) },
		"missing": func(log string, _ []byte) error { return os.Remove(log) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			log := filepath.Join(dir, "cluster.log")
			c, err := Open(Options{Data: dir})
			if err != nil {
				t.Fatal(err)
			}
			apitest.Object(t, c, "POST", configMaps, configMap("a", "1"))
			before, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			apitest.Object(t, c, "POST", configMaps, configMap("b", "1"))
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			if err := Check(&said, dir); err != nil || !strings.Contains(said.String(), "is sound") {
				t.Fatalf("%q, %v", said.String(), err)
			}
			if err := damage(log, before); err != nil {
				t.Fatal(err)
			}
			lost := new(core.DamageError)
			if _, err := Open(Options{Data: dir}); !errors.As(err, &lost) ||
				!strings.Contains(err.Error(), "devserver salvage --data "+dir) {
				t.Errorf("the server starts: %v", err)
			}
			if err := Check(&said, dir); !errors.As(err, &lost) {
				t.Errorf("check: %v", err)
			}
			if err := Salvage(&said, dir); err != nil {
				t.Fatal(err)
			}
			if c, err = Open(Options{Data: dir}); err != nil {
				t.Fatal(err)
			}
			want := 404
			if name == "cut" {
				want = 200
				if kept, err := os.ReadFile(filepath.Join(dir, "cluster-damaged-1.log")); err != nil ||
					!bytes.Equal(kept, before) {
					t.Errorf("kept are %d bytes, %v", len(kept), err)
				}
			}
			if code, _ := apitest.Object(t, c, "GET", configMaps+"/a", ""); code != want {
				t.Errorf("a is %d, want %d", code, want)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			said.Reset()
			if err := Salvage(&said, dir); err != nil || !strings.Contains(said.String(), "nothing was changed") {
				t.Errorf("salvage of what is sound: %q, %v", said.String(), err)
			}
		})
	}
	if err := Check(new(bytes.Buffer), t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "has no cluster") {
		t.Errorf("an empty directory: %v", err)
	}
}
