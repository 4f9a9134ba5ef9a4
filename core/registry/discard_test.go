package registry

import (
	"context"
	"errors"
	"testing"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/status"
)

// A silentJournal takes events and never says what happened to them.
type silentJournal struct{}

func (silentJournal) Append(*mvcc.Event) error { return nil }

// What a verb has read may be discarded before its result is reported, which is an error then, whatever
// the result was. Nor does it write on that: another write may have the same revision by now.
func TestResultsOnDiscardedWritesAreNotReported(t *testing.T) {
	for name, test := range map[string]struct {
		o    WriteOptions
		err  error // of the change
		then bool  // whether somebody else writes after the discard
	}{
		"a change":        {},
		"a dry run":       {o: WriteOptions{DryRun: true}},
		"a refusal":       {err: status.NewBadRequest("no")},
		"a reused number": {then: true},
	} {
		f := newFixture(t)
		at := f.configMaps("a")
		f.create(at, `{"metadata":{"name":"a"}}`)
		f.Store.SetJournal(silentJournal{})
		before := f.Store.Latest(at.bucket(), at.key("a"))
		write := func(text string) {
			value := []byte(text)
			attrs, err := Load(at.Resource, value)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Store.Put(at.bucket(), at.key("a"), before.Revision, func(int64) ([]byte, any) {
				return value, attrs
			}); err != nil {
				t.Fatal(err)
			}
		}
		write(`{"metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"4"},"data":{"k":"pending"}}`)
		lost := errors.New("the disk is full")
		_, _, err := f.Update(context.Background(), at, func(obj map[string]any) (map[string]any, error) {
			if obj["data"] == nil {
				t.Fatalf("%s: what is pending is not read: %v", name, obj)
			}
			f.Store.Discard(lost, func() {})
			if test.then {
				write(`{"metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"4"}}`)
			}
			return obj, test.err
		}, false, test.o)
		if got := status.From(err); err == nil || got.Status.Code != 500 {
			t.Errorf("%s on a write that was discarded: %v", name, err)
		}
		if test.then {
			if v := f.Store.Latest(at.bucket(), at.key("a")); string(v.Value) != `{"metadata":{"name":"a",`+
				`"namespace":"ns","uid":"u","resourceVersion":"4"}}` {
				t.Errorf("%s: it has overwritten %s", name, v.Value)
			}
		}
	}
}
