package pod

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

func TestImageTag(t *testing.T) {
	for image, want := range map[string]string{
		"nginx": "latest", "nginx:1": "1", "a/b": "latest", "a.b/c": "latest", "A.b:80/c:x": "x", "localhost/c": "latest",
		"a__b-.c": "", "a--b": "latest", "a__b": "latest", "a___b": "", "a..b": "", "a/-b": "", "a_": "", "": "", "A": "",
		"../up": "", "/abs": "", "a b": "", "-.b/c": "", "a.b:x/c": "", "a/": "", "a//b": "",
		strings.Repeat("a", 247): "latest", strings.Repeat("a", 248): "", strings.Repeat("a", 64): "",
		strings.Repeat("x", 64): "latest",
		"a@sha256:0000000000000000000000000000000000000000000000000000000000000000": "",
	} {
		if got := imageTag(image); got != want {
			t.Errorf("%s: %q, want %q", image, got, want)
		}
	}
}

// The real server's structs have fields of the spec in the security context.
func TestPrintTemplate(t *testing.T) {
	template, _, err := object.Decode([]byte(
		`{"metadata":{"name":"a"},"spec":{"hostPID":true,"hostUsers":false,"serviceAccount":"b"}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := string(PrintTemplate(template))
	for _, want := range []string{`{"name":"a","Spec":{"Volumes":null`, `"ServiceAccountName":"b"`,
		`"SecurityContext":{"HostNetwork":false,"HostPID":true,"HostIPC":false,"ShareProcessNamespace":null,` +
			`"HostUsers":false,`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s: not in %s", want, got)
		}
	}
	if again := string(PrintTemplate(template)); again != got {
		t.Error("printing changes a template")
	}
	if !strings.HasPrefix(string(PrintTemplate(nil)), `{"Spec":{"Volumes":null,`) {
		t.Error("a missing template is printed as", PrintTemplate(nil))
	}
}
