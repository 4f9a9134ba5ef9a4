package release

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// proxy returns the folder of a module proxy that has the project as it is here, as a version.
func proxy(t *testing.T, version string) string {
	t.Helper()
	root := copyProject(t, true)
	dir := filepath.Join(t.TempDir(), filepath.FromSlash(Module), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(packed, module.Version{Path: Module, Version: version}, root); err != nil {
		t.Fatal(err)
	}
	size, err := packed.Seek(0, io.SeekCurrent)
	if err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	t.Log("the module's zip: ", site.Size(int(size)))
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list": version + "\n", version + ".mod": string(gomod), version + ".info": fmt.Sprintf(`{"Version":%q}`, version),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return strings.TrimSuffix(dir, filepath.Join("", filepath.FromSlash(Module), "@v"))
}

// TestInstall installs the devserver as somebody does who has no repository, and serves the API with it. Without
// TABERNETES_LONG it looks only at what would be compiled, which takes a minute.
func TestInstall(t *testing.T) {
	const version = "v0.0.1-test"
	served := proxy(t, version)
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	long := os.Getenv("TABERNETES_LONG") != ""
	args := []string{"install", "-trimpath", "-modcacherw"}
	if !long {
		args = append(args, "-n")
	}
	install := exec.CommandContext(t.Context(), "go", append(args, Module+"/devserver@latest")...)
	install.Dir = t.TempDir()
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOMODCACHE="+t.TempDir(), "GOFLAGS=", "GOWORK=off",
		"GOSUMDB=off", // which does not know a version that nobody has published
		"GOPROXY=file://"+served+",file://"+filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"))
	said, err := install.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if !long {
		if !strings.Contains(string(said), "devserver@"+version) && !strings.Contains(string(said), Module+"@"+version) {
			t.Errorf("it would install nothing of %s", version)
		}
		return
	}
	name := "devserver"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	assets := filepath.Join(t.TempDir(), "assets")
	pair := exec.CommandContext(t.Context(), filepath.Join(bin, name), "envtest", "--dir", assets)
	if said, err := pair.Output(); err != nil || string(said) != "export KUBEBUILDER_ASSETS='"+assets+"'\n" {
		t.Errorf("envtest: %s, %v", said, err)
	}
	server := exec.CommandContext(t.Context(), filepath.Join(assets, "kube-apiserver"), "--version")
	if said, err := server.Output(); err != nil || !strings.HasPrefix(string(said), "Kubernetes v1.") {
		t.Errorf("kube-apiserver --version: %s, %v", said, err)
	}
	url, says := start(t, filepath.Join(bin, name), "--api-only")
	if !strings.HasPrefix(says, "tabernetes "+version+", ") {
		t.Errorf("it says that it is %s", says)
	}
	for path, want := range map[string]string{
		"/api/v1/namespaces/default": `"name":"default"`, "/openapi/v3/api/v1": `"openapi":"3.0.0"`,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != 200 || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s %.200s, %v", path, answer.Status, text, err)
		}
	}
}
