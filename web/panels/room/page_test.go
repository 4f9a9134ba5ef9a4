//go:build !js

package room

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/room"
)

// bench is a lab in a room, and what it has asked the room.
type bench struct {
	*panel
	asked []string
}

// visit runs a test in a bubble, as a member if the page remembers a room. answer is what the room answers by method
// and path; otherwise it has nothing of that.
func visit(t *testing.T, own string, answer map[string]app.Response, f func(t *testing.T, b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		a := app.New()
		a.Page.Holds["origin"], a.Page.Holds["room"] = "http://127.0.0.1", own
		b := &bench{}
		a.Page.Serve = func(r app.Request) (app.Response, error) {
			b.asked = append(b.asked, r.Method+" "+r.Path+" "+r.Body)
			if res, ok := answer[r.Method+" "+r.Path]; ok {
				return res, nil
			}
			return app.Response{Status: 404, Body: `{"message":"none"}`}, nil
		}
		b.panel = start(a)
		f(t, b)
		b.disconnect()
		time.Sleep(time.Minute)
		synctest.Wait()
	})
}

// review is the answer to who one is.
func review(user string) app.Response {
	return app.Response{Status: 201, Body: `{"status":{"userInfo":{"username":"` + user + `"}}}`}
}

const (
	who        = "POST " + whoPath
	base       = "http://127.0.0.1/rooms/0123456789/"
	remembered = `{"base":"` + base + `","token":"t","name":"m-ada"}`
)

// TestArrive wants a link to bring a member in, to ask the guest of an invitation for a name, and to say why it leads
// nowhere.
func TestArrive(t *testing.T) {
	for _, c := range []struct {
		name, base, token string
		who               app.Response
		says, shows       string
	}{
		{"a member", base, "t", review("member:m-ada"), "", "setTarget room"},
		{"a guest", base, "t", review("invitation:learner"), "", "focus room-name"},
		{"an old link", base, "t", app.Response{Status: 401}, "no longer valid", "setRoom null"},
		{"another server", "https://example.com/rooms/1/", "t", app.Response{}, "on another server", "open room"},
		{"half a link", base, "", app.Response{}, "not complete", "open room"},
		{"no link", "", "", app.Response{}, "", "focus room-teacher"},
	} {
		t.Run(c.name, func(t *testing.T) {
			visit(t, "null", map[string]app.Response{who: c.who}, func(t *testing.T, b *bench) {
				b.Page.Holds["room"] = strings.Replace(remembered, "m-ada", "", 1) // what is remembered of the guest
				b.Page.Take()
				b.Page.Link(c.base, c.token)
				synctest.Wait()
				calls := b.Page.Take()
				if !slices.Contains(calls, c.shows) {
					t.Errorf("no %s in %q", c.shows, calls)
				}
				said := strings.Join(calls, "\n")
				if c.says != "" && !strings.Contains(said, c.says) {
					t.Errorf("%q is not said in %q", c.says, calls)
				}
			})
		})
	}
}

// TestJoin wants an invitation to be accepted with the name, and the token that is answered to be the member's.
func TestJoin(t *testing.T) {
	visit(t, `{"base":"`+base+`","token":"invited","name":""}`, map[string]app.Response{
		"POST " + roomPath + "/join": {Status: 201, Body: `{"status":{"token":"mine"}}`}, who: review("member:m-ada"),
	}, func(t *testing.T, b *bench) {
		b.Page.Holds["room-name"], b.Page.Holds["checked room-share-first"] = " Ada ", "true"
		b.Page.Uses["room-join"](app.Use{})
		synctest.Wait()
		if b.asked[0] != "POST "+roomPath+`/join {"displayName":"Ada"}` {
			t.Errorf("asked %q", b.asked)
		}
		var noted own
		calls := b.Page.Take()
		if !slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call, "focus room-title") }) {
			t.Errorf("the focus is left in the form that is gone: %q", calls)
		}
		for _, call := range calls {
			if text, ok := strings.CutPrefix(call, "noteRoom "); ok && json.Unmarshal([]byte(text), &noted) != nil {
				t.Fatal(text)
			}
		}
		if noted.Token != "mine" || !noted.Share || noted.Copied {
			t.Errorf("noted %+v", noted)
		}
	})
}

// TestGovern wants each act of a teacher to be the request that does it.
func TestGovern(t *testing.T) {
	for _, c := range []struct{ action, name, holds, want string }{
		{"room-lead", "m-bob", "", "PATCH " + roomPath + ` {"spec":{"leader":"m-bob"}}`},
		{"room-freeze", "", "", "PATCH " + roomPath + ` {"spec":{"frozen":true}}`},
		{"room-most", "", "12", "PATCH " + roomPath + ` {"spec":{"maxMembers":12}}`},
		{"room-most", "", "many", ""},
		{"room-role", "m-bob", "learner", "PATCH " + memberPath + `m-bob {"spec":{"role":"learner"}}`},
		{"room-row", "m-bob", "", "POST " + roomPath + `/purge?dryRun=All {"member":"m-bob"}`},
		{"room-purge", "m-bob", "", "POST " + roomPath + `/purge {"member":"m-bob"}`},
		{"room-remove", "m-bob", "", "DELETE " + memberPath + "m-bob "},
		{"room-end", "link", "", "DELETE " + tokenPath + "/link "},
		{"room-invite", "", "", "POST " + roomPath + `/invite {"role":"learner"}`},
	} {
		visit(t, remembered, nil, func(t *testing.T, b *bench) {
			synctest.Wait()
			b.asked = nil
			b.Page.Holds["room-most"] = c.holds
			b.Page.Uses[c.action](app.Use{Holds: c.holds,
				Attributes: map[string]string{"data-name": c.name, "data-role": "learner"}})
			synctest.Wait()
			if c.want == "" && len(b.asked) > 0 || c.want != "" && !slices.Contains(b.asked, c.want) {
				t.Errorf("%s asks %q, not %s", c.action, b.asked, c.want)
			}
		})
	}
}

// TestEscape wants Escape in a row to take back what was asked there, then to close the row.
func TestEscape(t *testing.T) {
	visit(t, remembered, nil, func(t *testing.T, b *bench) {
		row := map[string]string{"data-key": "m-bob"}
		b.Page.Uses["room-row"](app.Use{Attributes: map[string]string{"data-name": "m-bob"}})
		b.Page.Uses["room-ask"](app.Use{Attributes: map[string]string{"data-what": "remove", "data-name": "m-bob"}})
		for _, c := range []struct{ asks, open bool }{{false, true}, {false, false}, {false, false}} {
			b.Page.Uses["room-at"](app.Use{Event: "keydown", Pressed: app.Press{Key: "Escape"}, Attributes: row})
			if asks, open := b.view.Asking != (question{}), b.view.Chosen != ""; asks != c.asks || open != c.open {
				t.Errorf("asks: %v, open: %v", asks, open)
			}
		}
		b.Page.Uses["room-at"](app.Use{Event: "focusin", Attributes: row})
		if b.view.Stop != "m-bob" {
			t.Errorf("the focus stops at %q", b.view.Stop)
		}
	})
}

// TestFollow wants the page to go where the view is that it follows, until its own playhead is moved.
func TestFollow(t *testing.T) {
	visit(t, remembered, nil, func(t *testing.T, b *bench) {
		b.Page.Holds["target"], b.Page.Holds["place"] = "room", "room"
		b.SetTarget("room")
		var opened []app.OpenLesson
		app.On(b.Bus, func(e app.OpenLesson) { opened = append(opened, e) })
		b.state.You, b.state.Synced = "m-ada", true
		b.state.Show = &room.Show{By: "m-bob", View: room.View{Lesson: "lists", Step: 2, Revision: 7, Panel: "objects"}}
		b.Page.Take()
		b.shownFrame(nil)
		if b.At != 7 || len(opened) != 1 || opened[0].Step != 2 || !slices.Contains(b.Page.Take(), "open objects") {
			t.Errorf("at %d, opened %+v", b.At, opened)
		}
		b.Travel(3)
		if b.view.Follows {
			t.Error("it still follows")
		}
		b.Page.Uses["room-follow"](app.Use{})
		if b.At != 7 || !b.view.Follows {
			t.Errorf("at %d, follows: %v", b.At, b.view.Follows)
		}
	})
}

// TestReport wants progress to be sent only if the member wants that, and once.
func TestReport(t *testing.T) {
	taken := map[string]app.Response{"POST " + roomPath + "/report": {Status: 200}}
	visit(t, remembered, taken, func(t *testing.T, b *bench) {
		b.state.Synced = true
		reports := func() (n int) {
			for _, a := range b.asked {
				if strings.Contains(a, "/report ") {
					n++
				}
			}
			return n
		}
		say := func() {
			b.Lesson = app.LessonAt{ID: "lists", Step: 1, Steps: 4}
			b.view.Lost = false
			b.sendReport()
			synctest.Wait()
		}
		if say(); reports() != 0 {
			t.Fatalf("reported unasked: %q", b.asked)
		}
		b.Page.Uses["room-share"](app.Use{Holds: "true"})
		say()
		if say(); reports() != 1 {
			t.Errorf("%d reports: %q", reports(), b.asked)
		}
		b.Page.Uses["room-share"](app.Use{Holds: ""})
		if say(); reports() != 2 || !slices.Contains(b.asked, "POST "+roomPath+`/report {"progress":null}`) {
			t.Errorf("%d reports: %q", reports(), b.asked)
		}
	})
}

// TestOut wants a page to ask the room nothing more once its member is gone, to end the exam, and to offer the tab's
// own cluster. What the room did not say for certain can be tried again.
func TestOut(t *testing.T) {
	const hello = `{"type":"HELLO","epoch":"1","you":"m-ada","role":"learner"}` + "\n" + `{"type":"SYNCED"}` + "\n"
	follow := "GET " + roomPath + "/follow"
	for _, c := range []struct {
		name    string
		answer  app.Response
		out     outOf
		words   string
		forgets bool
	}{
		{"removed", app.Response{Status: 200,
			Body: hello + `{"type":"MEMBER","member":{"name":"m-ada","gone":true}}` + "\n"},
			outRemoved, "A teacher removed you", true},
		{"left", app.Response{Status: 200,
			Body: hello + `{"type":"MEMBER","member":{"name":"m-ada","gone":true,"left":true}}` + "\n"},
			outLeft, "You have left the room", true},
		{"unknown", app.Response{Status: 401, Body: `{"message":"Unauthorized"}`},
			outRefused, "The room no longer knows this tab", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			visit(t, remembered, map[string]app.Response{follow: c.answer}, func(t *testing.T, b *bench) {
				var exams []app.RoomExam
				app.On(b.Bus, func(e app.RoomExam) { exams = append(exams, e) })
				synctest.Wait()
				calls := strings.Join(b.Page.Take(), "\n")
				if b.view.Out != c.out || !strings.Contains(calls, "setTarget tab") ||
					strings.Contains(calls, "setRoom null") != c.forgets {
					t.Errorf("out: %q, the page did\n%s", b.view.Out, calls)
				}
				if n := len(exams); n == 0 || !exams[n-1].Over || exams[n-1].Open != nil {
					t.Errorf("the exam is %+v", exams)
				}
				var line strings.Builder
				if err := Line(b.view).Render(t.Context(), &line); err != nil || !strings.Contains(line.String(), c.words) {
					t.Errorf("the bar says %s, %v", line.String(), err)
				}
				b.asked = nil
				time.Sleep(time.Hour)
				synctest.Wait()
				b.Page.Events["online"](app.Press{})
				synctest.Wait()
				if len(b.asked) > 0 {
					t.Errorf("it still asks %q", b.asked)
				}
				if c.forgets {
					b.Page.Holds["room"] = "null"
					b.Page.Uses["room-own-cluster"](app.Use{})
					if b.view.Out != "" {
						t.Errorf("it still says %q", b.view.Out)
					}
					return
				}
				b.Page.Uses["room-retry"](app.Use{})
				synctest.Wait()
				if !slices.Contains(b.asked, follow+" ") || b.view.Out != outRefused {
					t.Errorf("tried again, it asks %q, and is out: %q", b.asked, b.view.Out)
				}
			})
		})
	}
}
