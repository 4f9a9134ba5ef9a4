package histories

import (
	"context"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
	"github.com/tabernetes/tabernetes/wasm/controllers/controlplanetest"
	"github.com/tabernetes/tabernetes/wasm/controllers/manager"
)

// most is how long a history may take.
const most = 5 * time.Minute

var verbose = flag.Bool("print", false, "print what controllers write")

// TestHistories wants the controllers to write the same here as beside the real server.
func TestHistories(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := kubetest.New(t)
		r := &run{url: kubetest.Host, lives: map[string]*life{}}
		one := newRecorder(server.Transport(), r.saw)
		one.pause = func() { time.Sleep(time.Millisecond) }
		r.client = &http.Client{Transport: one}
		certificate, err := filepath.Abs("testdata/ca.crt")
		if err != nil {
			t.Fatal(err)
		}
		controlplanetest.Start(t, server, controlplanetest.Wrap(one.wrap),
			controlplanetest.Flags(manager.Name, "--root-ca-file="+certificate))
		ctx, cancel := context.WithTimeout(t.Context(), most)
		defer cancel()
		judge(t, r.liveAll(ctx, t, "", len(histories)))
	})
}

// judge compares what controllers have written in histories with the recordings.
func judge(t *testing.T, records map[string]record) {
	t.Helper()
	for name, got := range records {
		if *verbose {
			t.Logf("%s\n%s", name, learn([]record{got}))
		}
		text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Error(err)
			continue
		}
		known, err := parseSpecs(string(text))
		if err != nil {
			t.Fatal(err)
		}
		if differ := compare(known, got); len(differ) > 0 {
			t.Errorf("%s:\n%s", name, strings.Join(differ, "\n"))
		}
	}
}
