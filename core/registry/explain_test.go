package registry

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
)

// A brokenJournal makes the first few events durable, and none after them.
type brokenJournal chan *mvcc.Event

func (j brokenJournal) Append(e *mvcc.Event) error {
	j <- e
	return nil
}

func (j brokenJournal) run(s *mvcc.Store, sound int) {
	for e := range j {
		if sound--; sound >= 0 {
			s.Commit(e.Revision)
		} else {
			s.Discard(errors.New("the disk is full"), func() {})
		}
	}
}

// If the later writes of a request are lost, only the committed revisions are reported.
func TestLostWritesAreNotReported(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"a", "b", "c"} {
		f.create(f.configMaps(""), `{"metadata":{"name":"`+name+`"}}`)
	}
	head := f.Store.Status().Head
	create := func(ctx context.Context) error {
		_, err := f.Create(ctx, f.configMaps(""), f.parse(f.configMaps(""), `{"metadata":{"name":"d"}}`), WriteOptions{})
		return err
	}
	deleteAll := func(ctx context.Context) error {
		_, err := f.DeleteCollection(ctx, f.configMaps(""), ListOptions{}, DeleteOptions{})
		return err
	}
	for _, test := range []struct {
		sound int
		verb  func(context.Context) error
		want  source.Source
	}{
		{0, create, source.Source{From: source.Etcd, Head: head, Rule: semantics.WriteRefused}},
		{1, deleteAll, source.Source{
			From: source.Etcd, Head: head + 1, Rule: semantics.WriteStored,
			Wrote: []source.Span{{First: head + 1, Last: head + 1}},
		}},
	} {
		journal := make(brokenJournal, 3)
		go journal.run(f.Store, test.sound)
		f.Store.SetJournal(journal)
		var got source.Source
		if err := test.verb(source.With(context.Background(), &got)); err == nil {
			t.Error("writes that are lost are no error")
		}
		close(journal)
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("got %+v, want %+v", got, test.want)
		}
	}
}
