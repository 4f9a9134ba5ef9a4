package kubectl

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/rest"
)

// TestDates wants what a server says can be kept to be asked for once, though its answers have no date.
func TestDates(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header()["Date"] = nil
		w.Header().Set("Cache-Control", "public, max-age=1000")
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	for range 2 {
		config := &rest.Config{Host: server.URL, Transport: transport{&http.Transport{}}}
		d, err := disk.NewCachedDiscoveryClientForConfig(config, "", t.TempDir(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := d.RESTClient().Get().AbsPath("/x").Do(t.Context()).Error(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if asked != 2 { // once for each directory
		t.Errorf("asked %d times", asked)
	}
}
