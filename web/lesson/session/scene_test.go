package session

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// sceneSource returns the scene of one step that the tests of the format have.
func sceneSource(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../format/testdata/scene.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// listed has the session see the scene's request.
func listed(session *Session, log *tap.Log) {
	for _, ev := range []tap.Event{
		{Type: tap.Request, ID: 7, Method: "GET", URL: "/api/v1/namespaces/default/secrets"},
		{Type: tap.Head, ID: 7, Status: 200},
		{Type: tap.Chunk, ID: 7, Text: `{"metadata":{"resourceVersion":"42"}}`},
		{Type: tap.End, ID: 7},
	} {
		log.Add(ev)
		session.Observe(ev, true)
	}
	session.Recheck()
}

// TestLevers wants levers pulled before a step's requests, and an error where nobody can.
func TestLevers(t *testing.T) {
	s, err := format.ParseScene("03-lists.md", strings.NewReplacer("requires:", "programs: on\nrequires:",
		"~~~check", "~~~lever\nend a\n~~~\n\n~~~check").Replace(sceneSource(t)))
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Session: New(s.Lesson, Progress{}, &tap.Log{})}
	if err := r.Solve(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "no programs run here") {
		t.Errorf("without programs: %v", err)
	}
	broken := errors.New("it does not run")
	r.Lever = func(_ context.Context, l format.Lever) error {
		if l.Do != format.End || l.Program != "a" {
			t.Errorf("pulled %+v", l)
		}
		return broken
	}
	if err := r.Solve(t.Context(), 0); !errors.Is(err, broken) {
		t.Errorf("with a broken one: %v", err)
	}
}

func TestSentence(t *testing.T) {
	s, err := format.ParseScene("03-lists.md", sceneSource(t))
	if err != nil {
		t.Fatal(err)
	}
	log := new(tap.Log)
	session := New(s.Lesson, Progress{}, log)
	if _, err := session.Fill(s.Sentence(0), nil); !errors.As(err, new(*MissingError)) {
		t.Errorf("before the list it says %v", err)
	}
	listed(session, log)
	if said, err := session.Fill(s.Sentence(0), nil); err != nil || said != "It is of 42, in `default`." {
		t.Errorf("it says %q, %v", said, err)
	}
}

// TestLane wants the lane of a watch to be asked for by the tap's id of its request.
func TestLane(t *testing.T) {
	src := strings.Replace(sceneSource(t), "{{list.response.body.metadata.resourceVersion}}", "{{list.lane}}", 1)
	s, err := format.ParseScene("03-lists.md", src)
	if err != nil {
		t.Fatal(err)
	}
	log := new(tap.Log)
	session := New(s.Lesson, Progress{}, log)
	listed(session, log)
	names := map[int]string{7: "w3"}
	lane := func(id int) string { return names[id] }
	if said, err := session.Fill(s.Sentence(0), lane); err != nil || said != "It is of w3, in `default`." {
		t.Errorf("it says %q, %v", said, err)
	}
	delete(names, 7)
	if said, err := session.Fill(s.Sentence(0), lane); err == nil {
		t.Errorf("without a lane it says %q", said)
	}
}

// FuzzSentence wants the sentences of any scene to be filled in, or refused.
func FuzzSentence(f *testing.F) {
	f.Add(sceneSource(f))
	f.Add(strings.Replace(sceneSource(f), "~~~http", "~~~setup", 1))
	f.Fuzz(func(_ *testing.T, src string) {
		s, err := format.ParseScene("01-a.md", src)
		if err != nil {
			return
		}
		session := New(s.Lesson, Progress{}, new(tap.Log))
		for i := range s.Steps {
			_, _ = session.Fill(s.Sentence(i), func(int) string { return "" })
		}
	})
}
