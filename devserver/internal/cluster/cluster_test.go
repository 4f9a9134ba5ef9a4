package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/devserver/internal/data"
)

const configMaps = "/api/v1/namespaces/default/configmaps"

func configMap(name, value string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q},"data":{"v":%q}}`, name, value)
}

func TestFullDiskAtStart(t *testing.T) {
	if _, err := Open(Options{Data: filepath.Join(t.TempDir(), "not", "there")}); err != nil {
		t.Errorf("a directory that is not there: %v", err)
	}
	dir := t.TempDir()
	next := filepath.Join(dir, "cluster.log.new")
	if err := os.Mkdir(next, 0o700); err != nil { // nothing can be written under that name
		t.Fatal(err)
	}
	if _, err := os.Create(filepath.Join(next, "x")); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Options{Data: dir})
	if err == nil || !strings.Contains(err.Error(), "--data: the cluster is not saved: ") {
		t.Errorf("a cluster that cannot be saved: %v", err)
	}
	s, err := data.Open(dir)
	if err != nil {
		t.Fatalf("the directory was not given back: %v", err)
	}
	s.Close()
}

func TestDirectoryIsForOneServer(t *testing.T) {
	dir := t.TempDir()
	c, err := Open(Options{Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Data: dir}); err == nil ||
		!strings.Contains(err.Error(), "in use by another devserver") {
		t.Errorf("a second server: %v", err)
	}
	apitest.Object(t, c, "POST", configMaps, configMap("a", strings.Repeat("x", 2<<20))) // the log is written again
	if err := os.Remove(filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Data: dir}); err == nil ||
		!strings.Contains(err.Error(), "in use by another devserver") {
		t.Errorf("a second server, without the lock file: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c, err = Open(Options{Data: dir})
	if err != nil {
		t.Fatalf("after it: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}
