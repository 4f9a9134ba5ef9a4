package mvcc

import (
	"strconv"
	"testing"
)

func TestMemo(t *testing.T) {
	var e Event
	builds := 0
	memo := func(key any) string {
		return string(e.Memo(key, func() []byte { builds++; return []byte(strconv.Itoa(builds)) }))
	}
	for _, step := range []struct {
		key  any
		want string
	}{{"a", "1"}, {"a", "1"}, {"b", "2"}, {"a", "1"}, {[2]string{"a", "b"}, "3"}, {[2]string{"a", "b"}, "3"}, {"b", "2"}} {
		if got := memo(step.key); got != step.want {
			t.Errorf("%v: build %s, want %s", step.key, got, step.want)
		}
	}
	for i := range 2 * maxMemos {
		memo(i)
	}
	if _, n := find(e.memos.Load(), nil); n != maxMemos {
		t.Errorf("%d are kept, want %d", n, maxMemos)
	}
	builds = 0
	if memo("a"); builds != 0 {
		t.Error("what was kept is built again")
	}
	if memo(2*maxMemos - 1); builds != 1 {
		t.Error("what was not kept is not built")
	}
	var large Event
	for range 2 {
		large.Memo("a", func() []byte { builds++; return make([]byte, maxMemo+1) })
	}
	if builds != 3 {
		t.Error("what takes much memory is kept")
	}
	long := Event{Version: &Version{Value: make([]byte, 3<<10)}}
	for i := range 2 * maxMemos {
		long.Memo(i, func() []byte { return make([]byte, 3<<10) })
	}
	if _, n := find(long.memos.Load(), nil); n != 2 {
		t.Errorf("%d memos are kept that are as large as the event", n)
	}
}
