package core

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/journal"
)

// reopen does what a reload of the page does: it starts a new cluster on the same storage. The old
// one is not closed, since a page that is reloaded does not close it either.
func reopen(t *testing.T, storage *journal.Memory) *Cluster {
	t.Helper()
	c, _ := newCluster(t, Options{Storage: journal.NewMemory(storage.Bytes())})
	return c
}

func TestReloadKeepsObjectsRevisionsAndHistory(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	first := must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	second := must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	must(t, c, 201, "POST", configMaps, configMap("b", "1"))
	must(t, c, 200, "DELETE", configMaps+"/b", "")
	if c.Recovery().Restored {
		t.Error("a first start restored something")
	}

	again := reopen(t, storage)
	if !again.Recovery().Restored || again.Recovery().SetAside != "" {
		t.Errorf("recovery %+v", again.Recovery())
	}
	_, want := call(t, c, "GET", configMaps+"/a", "")
	if _, got := call(t, again, "GET", configMaps+"/a", ""); got != want {
		t.Errorf("after the reload:\n%s\nbefore:\n%s", got, want)
	}
	must(t, again, 404, "GET", configMaps+"/b", "")
	past := must(t, again, 200, "GET", configMaps+"?resourceVersionMatch=Exact&resourceVersion="+
		at(first, "metadata.resourceVersion").(string), "")
	if v := at(past["items"].([]any)[0], "data.v"); v != "1" {
		t.Errorf("the past holds %v", v)
	}
	s := follow(t, again, configMaps+"?watch=1&resourceVersion="+at(second, "metadata.resourceVersion").(string))
	for _, want := range []string{"ADDED", "DELETED"} {
		if e := s.Next(); e["type"] != want || at(e, "object.metadata.name") != "b" {
			t.Errorf("event %v, want %s b", e, want)
		}
	}
	next := must(t, again, 201, "POST", configMaps, configMap("c", "1"))
	if head := at(must(t, c, 200, "GET", plane, ""), "status.revision").(float64); at(next,
		"metadata.resourceVersion") != fmt.Sprint(int(head)+1) {
		t.Errorf("revision %v follows %v", at(next, "metadata.resourceVersion"), head)
	}
}

func TestReloadKeepsTheHorizonAndTheLevers(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	first := must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	must(t, c, 201, "POST", plane+"/compact", "{}")
	must(t, c, 200, "PUT", plane, `{"metadata":{"name":"default"},"spec":{"history":{"retentionSeconds":60}}}`)

	again := reopen(t, storage)
	must(t, again, 410, "GET", configMaps+"?resourceVersionMatch=Exact&resourceVersion="+
		at(first, "metadata.resourceVersion").(string), "")
	if got := again.current.Load().history.Retention(); got != time.Minute {
		t.Errorf("retention %v", got)
	}
}

// flaky is a storage that fails while fail is set.
type flaky struct {
	*journal.Memory
	fail error
}

func (f *flaky) Append(p []byte) error {
	if f.fail != nil {
		return f.fail
	}
	return f.Memory.Append(p)
}

func (f *flaky) Replace(write func(io.Writer) error) error {
	if f.fail != nil {
		return f.fail
	}
	return f.Memory.Replace(write)
}

func TestFullStorage(t *testing.T) {
	storage := &flaky{Memory: journal.NewMemory(nil)}
	c, _ := newCluster(t, Options{Storage: storage})
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))

	storage.fail = errors.New("quota exceeded")
	must(t, c, 500, "POST", configMaps, configMap("b", "1")) // the first one to meet it
	must(t, c, 404, "GET", configMaps+"/b", "")
	head := at(must(t, c, 200, "GET", plane, ""), "status.revision")
	must(t, c, 500, "POST", configMaps, configMap("c", "1"))
	must(t, c, 500, "DELETE", configMaps+"/a", "")
	must(t, c, 500, "POST", plane+"/reset", "{}")
	got := must(t, c, 200, "GET", plane, "")
	if at(got, "status.revision") != head {
		t.Errorf("refused writes took revisions: %v after %v", at(got, "status.revision"), head)
	}
	if at(got, "status.storage.problem") != "quota exceeded" {
		t.Errorf("storage %v", at(got, "status.storage"))
	}
	w := follow(t, c, configMaps+"?watch=1&resourceVersion=1") // still at work

	storage.fail = nil
	must(t, c, 201, "POST", configMaps, configMap("c", "1"))
	for e := w.Next(); at(e, "object.metadata.name") != "c"; e = w.Next() {
	}
	saved := storage.Bytes()
	again, _ := newCluster(t, Options{Storage: journal.NewMemory(saved)})
	for name, code := range map[string]int{"a": 200, "b": 404, "c": 200} {
		must(t, c, code, "GET", configMaps+"/"+name, "")
		must(t, again, code, "GET", configMaps+"/"+name, "")
	}
	must(t, c, 201, "POST", plane+"/reset", "{}")
	must(t, c, 404, "GET", configMaps+"/a", "")
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
}

func TestStorageThatCannotBeWritten(t *testing.T) {
	storage := &flaky{Memory: journal.NewMemory(nil), fail: errors.New("read-only")}
	c, _ := newCluster(t, Options{Storage: storage})
	if c.Recovery().Problem == "" {
		t.Error("no problem was said")
	}
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	if got := at(must(t, c, 200, "GET", plane, ""), "status.storage.persistent"); got != false {
		t.Errorf("persistent: %v", got)
	}
}

func TestSnapshotHasToBeComplete(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	_, saved := call(t, c, "GET", plane+"/snapshot", "")
	for cut := 1; cut < len(saved); cut += len(saved)/200 | 1 { // an odd step, so that it is not that of the lines
		must(t, c, 400, "PUT", plane+"/snapshot", saved[:cut])
	}
	must(t, c, 200, "GET", configMaps+"/a", "")
	must(t, c, 201, "PUT", plane+"/snapshot", saved)
	must(t, c, 200, "GET", configMaps+"/a", "")
}

// TestHorizonOutlivesACommitInBetween writes a position that a commit has overtaken, as can happen
// while both are being written to the log.
func TestHorizonOutlivesACommitInBetween(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	first := must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	i := c.current.Load()
	overtaken := i.store.Status()
	if err := i.store.Compact(overtaken.Head); err != nil {
		t.Fatal(err)
	}
	must(t, c, 201, "POST", configMaps, configMap("b", "1"))
	i.storage.Log().AppendPosition(overtaken.Head, overtaken.Head)
	must(t, c, 201, "POST", configMaps, configMap("c", "1"))
	again := reopen(t, storage)
	must(t, again, 410, "GET", configMaps+"?resourceVersionMatch=Exact&resourceVersion="+
		at(first, "metadata.resourceVersion").(string), "")
	must(t, again, 200, "GET", configMaps+"/c", "")
}
