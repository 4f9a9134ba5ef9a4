package relay

import (
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// TestNews writes while many streams are open: the first commit after a rest is announced at once, those that follow it
// are announced together some time later, and nothing looks for commits once all streams have left.
func TestNews(t *testing.T) {
	host := clock.NewManual(time.Unix(1, 0))
	store := mvcc.New(host.Now)
	r := &Relay{Registry: &registry.Registry{Store: store, Table: schema.Builtin()}, Host: host}
	put := func(key string) {
		t.Helper()
		if _, err := store.Put("v1/configmaps", key, 0, func(int64) ([]byte, any) { return []byte("{}"), nil }); err != nil {
			t.Fatal(err)
		}
	}
	came := func(news <-chan struct{}) bool {
		select {
		case <-news:
			return true
		default:
			return false
		}
	}
	const streams = 50
	grants := &Grants{}
	var f *feed
	for range streams {
		var err error
		if f, err = r.enter(grants); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 2 {
		news := r.upcoming()
		put("default/first-" + string(rune('a'+round)))
		<-news
		host.AwaitTimers(1)
		news = r.upcoming()
		put("default/second-" + string(rune('a'+round)))
		put("default/third-" + string(rune('a'+round)))
		host.Advance(streams*breath - 1)
		if came(news) {
			t.Error("a commit is announced before the streams could breathe")
		}
		host.Advance(1)
		<-news
		host.AwaitTimers(1)
		news = r.upcoming()
		host.Advance(streams * breath)
		if came(news) {
			t.Error("there is nothing new")
		}
	}
	// What is compacted before it is announced is announced all the same.
	news := r.upcoming()
	put("default/last")
	<-news
	host.AwaitTimers(1)
	news = r.upcoming()
	put("default/later")
	if err := store.Compact(store.Status().Head); err != nil {
		t.Fatal(err)
	}
	host.Advance(streams * breath)
	<-news
	for range streams {
		r.leave(f)
	}
	if n := store.Status().Watchers; n != 0 {
		t.Errorf("%d watchers are left", n)
	}
	if _, err := r.enter(grants); err != nil {
		t.Fatal(err)
	}
	news = r.upcoming()
	put("default/again")
	<-news
}
