//go:build !js

package lesson

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/room"
)

// tabOf is the lab of a visit.
type tabOf struct{ *visit }

func (v tabOf) Announce(text string)    { v.said = append(v.said, text) }
func (v tabOf) Alert(text string)       { v.said = append(v.said, "! "+text) }
func (v tabOf) Open(panel string)       { v.opened = append(v.opened, panel) }
func (v tabOf) Copy(text, what string)  { v.copied = append(v.copied, what+": "+text) }
func (v tabOf) SetTarget(target string) { v.state.Target = target }
func (v tabOf) Close(why string)        { v.closedBy = why }
func (v tabOf) State() app.State        { return v.state }
func (v tabOf) CatchUp()                {}
func (v tabOf) Settle()                 {}
func (v tabOf) Select(s app.Selection, _ string) {
	v.opened = append(v.opened, fmt.Sprint("request ", s.Request))
}

func (v tabOf) Commit(revision int64) (revisions.Commit, bool) { return v.commits.Find(revision) }

func (v tabOf) Command(text string) (int, error) {
	v.ran = append(v.ran, text)
	return 7, v.terminalFails
}

func (v tabOf) PutBack(revision int64) error {
	v.sent = append(v.sent, fmt.Sprint("put back to ", revision > 0))
	return v.putBackFails
}

func (v tabOf) Stream(ctx context.Context, r app.Request, head func(app.Response), body func(string)) error {
	return v.stream(ctx, r, head, body)
}

func (v tabOf) Fetch(ctx context.Context, r app.Request) (app.Response, error) {
	w := httptest.NewRecorder()
	v.serve(w, ctx, r)
	return app.Response{Status: w.Code, Body: w.Body.String()}, nil
}

func (s *sheet) member() *room.State          { return s.visit.inRoom }
func (s *sheet) classExam() *course.ClassExam { return s.visit.class }
func (s *sheet) report(text string, shown bool) {
	s.visit.reported, s.visit.onPage = text, shown
}
func (s *sheet) at(now app.LessonAt) { s.visit.where = now }
func (s *sheet) stopJudge()          { s.visit.ran = append(s.visit.ran, "stop") }
func (s *sheet) download(text, _, name string) {
	s.visit.downloaded = append(s.visit.downloaded, name+": "+text)
}

// file returns a file of the site, which takes a while.
func (s *sheet) file(name string) (string, error) {
	<-s.visit.wait(recheckAfter)
	id := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "course/"), ".html"), ".json")
	switch {
	case s.visit.missing[id]:
		return "", errors.New("404")
	case strings.HasSuffix(name, ".json"):
		return deckOf(s.visit.t, id), nil
	}
	return lessonFile(s.visit.t, id), nil
}

// judge says what the judge says next.
func (s *sheet) judge(string, int, int) (string, error) {
	if s.visit.judging != nil {
		s.visit.judging()
	}
	if len(s.visit.judged) == 0 {
		return "", errors.New("no judge")
	}
	next := s.visit.judged[0]
	s.visit.judged = s.visit.judged[1:]
	return next, nil
}
