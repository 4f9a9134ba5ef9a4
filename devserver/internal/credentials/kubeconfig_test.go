package credentials

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// readConfig parses a kubeconfig and returns its entries by list and name.
func readConfig(t *testing.T, name string) (config map[string]any, entries map[string]map[string]any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &config); err != nil {
		t.Fatal(err)
	}
	entries = map[string]map[string]any{}
	for list, key := range map[string]string{"clusters": "cluster", "users": "user", "contexts": "context"} {
		for _, v := range config[list].([]any) {
			e := v.(map[string]any)
			entries[key+" "+e["name"].(string)] = e[key].(map[string]any)
		}
	}
	return config, entries
}

func TestKubeconfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "config")
	tokens := Tokens{
		{Token: "jane-token", User: "jane"}, {Token: "secret", User: "root", Groups: []string{"system:masters"}},
	}
	current, err := NewKubeconfig("https://127.0.0.1:4711", []byte("a certificate"), tokens).Save(file)
	if err != nil || !current {
		t.Fatal(current, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	config, entries := readConfig(t, file)
	if config["apiVersion"] != "v1" || config["kind"] != "Config" || config["current-context"] != "tabernetes" {
		t.Errorf("%v", config)
	}
	for _, c := range []struct{ entry, field, want string }{
		{"cluster tabernetes", "server", "https://127.0.0.1:4711"},
		{"cluster tabernetes", "certificate-authority-data", base64.StdEncoding.EncodeToString([]byte("a certificate"))},
		{"user tabernetes", "token", "secret"},
		{"context tabernetes", "cluster", "tabernetes"},
		{"context tabernetes", "user", "tabernetes"},
	} {
		if got := entries[c.entry][c.field]; got != c.want {
			t.Errorf("%s of the %s: %v", c.field, c.entry, got)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// TestKubeconfigToken has no certificate, and a token only where kubectl would
// ask for one.
func TestKubeconfigToken(t *testing.T) {
	for _, c := range []struct {
		authority []byte
		want      any
	}{{nil, nil}, {[]byte("a certificate"), anyToken}} {
		name := filepath.Join(t.TempDir(), "config")
		if _, err := NewKubeconfig("x://", c.authority, nil).Save(name); err != nil {
			t.Fatal(err)
		}
		if _, entries := readConfig(t, name); entries["user tabernetes"]["token"] != c.want {
			t.Errorf("%v", entries)
		}
	}
}

// TestKubeconfigMerges keeps what else a file has, through a link, at two starts.
func TestKubeconfigMerges(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "config"), filepath.Join(dir, "link")
	if err := os.WriteFile(name, []byte(`apiVersion: v1
kind: Config
preferences: {colors: true}
clusters:
- name: work
  cluster: {server: https://work.example, insecure-skip-tls-verify: true}
contexts:
- name: work
  context: {cluster: work, user: me}
current-context: work
users:
- name: me
  user: {exec: {command: login, args: ["1", "2"]}}
`), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("config", link); err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"http://127.0.0.1:1", "http://127.0.0.1:2"} {
		current, err := Kubeconfig{Server: server}.Save(link)
		if err != nil || current {
			t.Fatal(current, err)
		}
		config, entries := readConfig(t, name)
		if entries["cluster tabernetes"]["server"] != server || entries["cluster work"]["server"] != "https://work.example" ||
			entries["user me"]["exec"] == nil || entries["context work"]["user"] != "me" || len(entries) != 6 ||
			config["current-context"] != "work" || config["preferences"] == nil {
			t.Errorf("%v", config)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", info, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestKubeconfigRefuses leaves files alone that are not for it to change.
func TestKubeconfigRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"clusters:\n- name: tabernetes\n  cluster: {server: https://mine.example}\n",
			"cluster tabernetes is not from a devserver"},
		{"users:\n- name: tabernetes\n  user: {token: mine}\n", "user tabernetes is not from a devserver"},
		{"kind: Pod\n", "of kind Pod"},
		{"just a text\n", "not a kubeconfig"},
		{"clusters: 1\n", "clusters are not a list"},
		{"a: 1\na: 2\n", "not a kubeconfig"},
	} {
		name := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := (Kubeconfig{Server: "http://x"}).Save(name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
		if text, err := os.ReadFile(name); err != nil || string(text) != c.text {
			t.Errorf("%q became %q, %v", c.text, text, err)
		}
		if err := os.WriteFile(name+".lock", nil, 0o600); err != nil {
			t.Fatal("the lock was left: ", err)
		}
		if _, err := (Kubeconfig{}).Save(name); err == nil || !strings.Contains(err.Error(), "config.lock") {
			t.Errorf("a locked file: %v", err)
		}
	}
}
