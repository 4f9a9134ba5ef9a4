package record

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
)

// check compares what a file has of types with what the cluster has.
func (w *world) check(text []byte, types ...string) *content {
	w.Helper()
	file, all := readFile(w.T, text), readFile(w.T, []byte(apiText(w, plane+"/snapshot")))
	for _, name := range types {
		ty := typeOf(name)
		n := 0
		for v, sum := range all.versions {
			if v.bucket != ty.bucket || v.rev <= file.horizon {
				continue
			}
			n++
			if got := file.versions[v]; got != sum {
				w.Errorf("the cluster has %v, %s; the file %q", v, sum, got)
			}
		}
		if n == 0 {
			w.Errorf("the cluster has no %s to be compared", name)
		}
	}
	replay(w.T, openFile(w.T, text), builtin(), file)
	return file
}

// TestRecord records writes of several types, over and over cut watches among them, and compares the file with the
// cluster, version by version.
func TestRecord(t *testing.T) {
	w := newWorld(t)
	w.set("before", "1")
	r := w.record(Options{Context: "shop", Types: []string{"*"}})
	for n := range 30 {
		w.set("a", fmt.Sprint(n))
		w.do(201, "POST", secrets, fmt.Sprintf(`{"metadata":{"name":"s%d"},"stringData":{"p":"tell-nobody"}}`, n))
		if n%3 == 0 {
			w.do(200, "DELETE", secrets+fmt.Sprintf("/s%d", n), "")
		}
		if n%10 == 5 {
			w.cut()
		}
	}
	text := r.finish()
	file := w.check(text, "configmaps", "secrets")
	if bytes.Contains(text, []byte("tell-nobody")) || bytes.Contains(text, []byte("dGVsbC1ub2JvZHk")) {
		t.Error("the file has data of a Secret")
	}
	if n := len(file.notes); !file.says("ended", "known up to") || file.notes[n-1].Kind != "ended" {
		t.Errorf("its end is not noted: %q", file.texts())
	}
	for _, n := range file.notes {
		if n.Kind == "gap" {
			t.Errorf("there is a gap: %+v", n)
		}
	}
	at := r.recorder.client.requests.Load()
	if most := int64(6*len(r.recorder.all()) + 100); at > most {
		t.Errorf("%d requests were made, more than %d", at, most)
	}
}

// TestGapIsFilled restarts an API server, which then remembers nothing, while a type cannot be watched: what was
// written meanwhile is read from etcd.
func TestGapIsFilled(t *testing.T) {
	w := newWorld(t)
	w.set("a", "1")
	w.set("gone", "1")
	w.set("again", "1")
	r := w.record(Options{Types: []string{"configmaps", "secrets"}})
	open := w.answer("/api/v1/configmaps", 503, "")
	w.cut()
	for n := range 5 {
		w.set("a", fmt.Sprint("2-", n))
	}
	w.set("gone", "2")
	w.do(200, "DELETE", configMaps+"/gone", "")
	w.do(200, "DELETE", configMaps+"/again", "")
	w.set("again", "2")
	w.set("new", "1")
	w.do(201, "POST", plane+"/restart", "{}")
	open()
	r.await("a note of the gap", func(c *content) bool { return c.says("gap", "all versions were read from etcd") })
	file := w.check(r.finish(), "configmaps")
	if len(file.gone) > 0 {
		t.Errorf("deletions without a revision: %v", file.gone)
	}
}

// TestGapIsNamed compacts etcd while a type cannot be watched: what is lost is named, and what is deleted is gone.
func TestGapIsNamed(t *testing.T) {
	w := newWorld(t)
	w.set("a", "1")
	w.set("gone", "1")
	w.set("same", "1")
	r := w.record(Options{Types: []string{"configmaps", "secrets"}})
	before := revOf(w.do(200, "GET", configMaps+"/same", ""))
	open := w.answer("/api/v1/configmaps", 503, "")
	w.cut()
	w.set("a", "2")
	w.set("a", "3")
	w.do(200, "DELETE", configMaps+"/gone", "")
	secret := w.do(201, "POST", secrets, `{"metadata":{"name":"s"}}`)
	w.do(201, "POST", plane+"/compact", "{}")
	open()
	r.await("a note of the gap", func(c *content) bool { return c.says("gap", "may lack versions (configmaps") })
	w.set("a", "4")
	text := r.finish()
	file := readFile(t, text)
	if _, is := file.versions[seen{"v1/secrets", "default/s", revOf(secret)}]; !is {
		t.Error("what could be watched was not recorded")
	}
	if len(file.gone) != 1 || file.gone[0].Key != "default/gone" {
		t.Errorf("gone: %v", file.gone)
	}
	c := openFile(t, text)
	opened := &world{T: t, cluster: c}
	if opened.do(200, "GET", configMaps+"/a", "")["data"].(map[string]any)["v"] != "4" {
		t.Error("the last version is not there")
	}
	opened.do(404, "GET", configMaps+"/gone", "")
	if got := revOf(opened.do(200, "GET", configMaps+"/same", "")); got != before {
		t.Errorf("what has not changed is at %d, and was at %d", got, before)
	}
	list := opened.do(200, "GET", fmt.Sprintf("%s?resourceVersion=%d&resourceVersionMatch=Exact", configMaps,
		file.horizon), "")
	if n := len(list["items"].([]any)); n != 3+kubeRoot {
		t.Errorf("at the beginning there are %d", n)
	}
}

// kubeRoot is how many ConfigMaps the controllers of a cluster make in a namespace; these clusters have none.
const kubeRoot = 0

// TestRightsLost takes the rights to one type away, and gives them back.
func TestRightsLost(t *testing.T) {
	w := newWorld(t)
	w.set("a", "1")
	r := w.record(Options{Types: []string{"configmaps", "secrets"}})
	open := w.answer("/api/v1/configmaps", 403,
		`{"kind":"Status","reason":"Forbidden","message":"no more \u001b[31m","code":403}`)
	w.cut()
	r.await("a note", func(c *content) bool { return c.says("rights", "The rights to configmaps were lost (403 no more") })
	w.set("a", "2")
	s := w.do(201, "POST", secrets, `{"metadata":{"name":"s"}}`)
	r.awaitVersion("v1/secrets", "default/s", revOf(s))
	open()
	r.await("a note", func(c *content) bool { return c.says("rights", "are there again") })
	w.check(r.finish(), "configmaps", "secrets")
}

// TestWithoutRights records what may be read when other types may not be from the beginning.
func TestWithoutRights(t *testing.T) {
	w := newWorld(t)
	w.answer("/api/v1/secrets", 403, `{"kind":"Status","message":"secrets is forbidden"}`)
	r := w.record(Options{Types: []string{"configmaps", "secrets"}})
	w.set("a", "1")
	file := w.check(r.finish(), "configmaps")
	w.before.Store(nil)
	if !file.says("rights", "secrets is not recorded: it takes the right to list and watch it (403 secrets "+
		"is forbidden)") {
		t.Errorf("%q", file.texts())
	}
}

// TestDefinitions records custom resources whose definition comes, goes, and comes again.
func TestDefinitions(t *testing.T) {
	w := newWorld(t)
	r := w.record(Options{})
	const path = "/apis/example.com/v1/namespaces/default/widgets"
	define := func() {
		w.do(201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets)
		for apiCode(w, path) != 200 {
		}
	}
	widget := func(name string) int64 {
		return revOf(w.do(201, "POST", path,
			fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":%q},`+
				`"spec":{"b":1,"a":[{}]}}`, name)))
	}
	define()
	r.awaitVersion("example.com/*/widgets", "default/one", widget("one"))
	w.do(200, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com", "")
	r.await("the deletion", func(c *content) bool {
		return c.says("types",
			"The definition of widgets.example.com was deleted")
	})
	define()
	r.awaitVersion("example.com/*/widgets", "default/two", widget("two"))
	text := r.finish()
	file := readFile(t, text)
	if !file.says("types", "widgets.example.com is recorded from revision") {
		t.Errorf("%q", file.texts())
	}
	opened := &world{T: t, cluster: openFile(t, text)}
	if items := opened.do(200, "GET", path, "")["items"].([]any); len(items) != 1 {
		t.Errorf("in the end there are %v", items)
	}
}

func apiCode(w *world, path string) int { return apitest.Do(w.cluster, "GET", path, "").Code }

// TestRestart kills a recorder (what it has written is all there is) at several moments, and continues its file.
func TestRestart(t *testing.T) {
	w := newWorld(t)
	w.set("a", "0")
	r := w.record(Options{Types: []string{"configmaps", "secrets", "customresourcedefinitions"},
		Redact: []string{"configmaps:data.x"}})
	w.set("a", "1")
	r.awaitVersion("v1/configmaps", "default/a", revOf(w.do(200, "GET", configMaps+"/a", "")))
	kept, err := os.ReadFile(w.file)
	if err != nil {
		t.Fatal(err)
	}
	r.finish()
	for _, lost := range []int{0, 1, 7, 100} {
		w.set("a", fmt.Sprint("lost ", lost))
		w.do(201, "POST", secrets, fmt.Sprintf(`{"metadata":{"name":"s%d"}}`, lost))
		if err := os.WriteFile(w.file, kept[:len(kept)-lost], 0o600); err != nil {
			t.Fatal(err)
		}
		r = w.record(Options{Types: []string{"customresourcedefinitions", "configmaps", "secrets"},
			Redact: []string{"configmaps:data.x"}})
		w.set("b", fmt.Sprint(lost))
		r.awaitVersion("v1/configmaps", "default/b", revOf(w.do(200, "GET", configMaps+"/b", "")))
		file := w.check(r.finish(), "configmaps", "secrets")
		if !file.says("begun", "The recorder was started again") {
			t.Errorf("%q", file.texts())
		}
	}
	f, err := os.OpenFile(w.file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := &client{server: w.server.URL, http: w.server.Client()}
	if _, err := start(t.Context(), c, f, Options{}, nil); err == nil || !strings.Contains(err.Error(), "other types") {
		t.Errorf("with other types it is continued: %v", err)
	}
	c.server = otherCluster(t)
	o := Options{Types: []string{"customresourcedefinitions", "configmaps", "secrets"},
		Redact: []string{"configmaps:data.x"}}
	if _, err := start(t.Context(), c, f, o, nil); err == nil || !strings.Contains(err.Error(), "of another cluster") {
		t.Errorf("that of another cluster is continued: %v", err)
	}
}

// otherCluster returns the URL of another cluster.
func otherCluster(t *testing.T) string {
	c, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(c)
	t.Cleanup(func() { server.Close(); _ = c.Close() })
	return server.URL
}

// TestFilesOfOthers checks that nothing is written into a file that is no recording.
func TestFilesOfOthers(t *testing.T) {
	w := newWorld(t)
	snapshot := apiText(w, plane+"/snapshot")
	for _, text := range []string{"my diary", snapshot, "\x00"} {
		if err := os.WriteFile(w.file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(w.file, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = readEarlier(f)
		_ = f.Close()
		if now, _ := os.ReadFile(w.file); err == nil || string(now) != text {
			t.Errorf("%.10q: %v, and now %.10q", text, err, now)
		}
	}
}

// TestUnknownFields records objects of another version of Kubernetes: fields that are not known are kept and named, and
// what cannot be read is left out and named.
func TestUnknownFields(t *testing.T) {
	w := newWorld(t)
	w.set("a", "1")
	list := func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/v1/configmaps" || r.URL.Query().Get("watch") != "" {
			return false
		}
		fmt.Fprint(out, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"90"},"items":[
 {"metadata":{"name":"new","namespace":"default","resourceVersion":"80"},"data":{"v":"1"},"shape":{"round": true}},
 {"metadata":{"name":"odd","namespace":"default","resourceVersion":"81"},"data":"none"}]}`)
		return true
	}
	w.before.Store(&list)
	r := w.record(Options{Types: []string{"configmaps"}})
	r.await("notes", func(c *content) bool {
		return c.says("fields", `configmaps: unknown field "shape"`) && c.says("fields", "default/odd cannot be read")
	})
	text := r.finish()
	if !bytes.Contains(text, []byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"new","namespace":`+
		`"default","resourceVersion":"80"},"data":{"v":"1"},"shape":{"round":true}}`)) {
		t.Error("the object is not as it was sent")
	}
	openFile(t, text)
}

// TestBusyServer records from a server that answers 429 and 503, ends watches at once, and sends half of a line.
func TestBusyServer(t *testing.T) {
	w := newWorld(t)
	var n atomic.Int64
	disturb := func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/v1/configmaps" {
			return false
		}
		switch n.Add(1) % 6 {
		case 0:
			out.WriteHeader(429)
		case 1:
			out.WriteHeader(503)
		case 2:
			if r.URL.Query().Get("watch") == "" {
				fmt.Fprint(out, `{"items":[`)
			} else {
				fmt.Fprint(out, `{"type":"ADDED","object":{"metad`)
			}
		case 3:
			if r.URL.Query().Get("watch") == "" {
				return false
			}
			fmt.Fprint(out, `{"type":"ERROR","object":{"kind":"Status","code":500,"message":"etcd is away"}}`+"\n")
		case 4:
			panic(http.ErrAbortHandler)
		default:
			return false
		}
		return true
	}
	r := w.record(Options{Types: []string{"configmaps"}})
	w.before.Store(&disturb)
	for i := range 20 {
		w.set("a", fmt.Sprint(i))
		w.cut()
	}
	r.awaitVersion("v1/configmaps", "default/a", revOf(w.do(200, "GET", configMaps+"/a", "")))
	w.before.Store(nil)
	w.check(r.finish(), "configmaps")
}
