package edge_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

const (
	classroom = "apis/sandbox.tabernetes.dev/v1/rooms/default"
	maps      = "api/v1/namespaces/default/configmaps"
)

// idle is how long the engine keeps an object in memory that does nothing, and some more.
const idle = 12 * time.Second

// post makes a request that has to succeed.
func post(t *testing.T, url, token, body string) []byte {
	t.Helper()
	code, answer := ask(t, "POST", url, token, body)
	if code/100 != 2 {
		t.Fatalf("%s: %d %s", url, code, answer)
	}
	return answer
}

func write(t *testing.T, at, token, name string) {
	t.Helper()
	post(t, at+maps, token, `{"metadata":{"name":"`+name+`"}}`)
}

// join returns the token of a new learner.
func join(t *testing.T, at, teacher, name string) string {
	t.Helper()
	var invited, joined struct{ Status struct{ Token string } }
	if err := json.Unmarshal(post(t, at+classroom+"/invite", teacher, `{"role":"learner"}`), &invited); err != nil {
		t.Fatal(err)
	}
	answer := post(t, at+classroom+"/join", invited.Status.Token, `{"displayName":"`+name+`"}`)
	if err := json.Unmarshal(answer, &joined); err != nil || joined.Status.Token == "" {
		t.Fatalf("%s %v", answer, err)
	}
	return joined.Status.Token
}

// TestSockets follows a room over WebSockets while the engine forgets its object, and brings it back.
func TestSockets(t *testing.T) {
	url, _ := start(t, t.TempDir())
	one := open(t, url)
	at := url + one.Path
	learner, other := join(t, at, one.Token, "Ada"), join(t, at, one.Token, "Grace")

	for target, want := range map[string]int{"/relay": http.StatusUnauthorized, "/show": http.StatusUnauthorized} {
		if _, res := dial(t, at+classroom+target, "AAAAAAAAAAAAAAAAAAAAAA"); res.StatusCode != want {
			t.Errorf("%s with a token of nobody: %s", target, res.Status)
		}
	}
	if _, res := dial(t, at+maps, learner); res.StatusCode != http.StatusOK {
		t.Errorf("what is no stream: %s", res.Status)
	}
	relay := stream(t, at+classroom+"/relay", learner)
	relay.until(`"SYNCED"`)
	follow := stream(t, at+classroom+"/follow", learner)
	hello := follow.next()
	follow.until(`"SYNCED"`)
	follows := stream(t, at+classroom+"/follow", other)
	teacher := stream(t, at+classroom+"/follow", one.Token)
	teacher.until(`"SYNCED"`)
	watch := stream(t, at+maps+"?watch=1", learner)
	write(t, at, one.Token, "first")
	relay.until(`"key":"default/first"`)
	watch.until(`"name":"first"`)

	post(t, at+classroom+"/show", one.Token, `{"view":{"panel":"stage"}}`)
	post(t, at+classroom+"/report", learner, `{"progress":{"lesson":"watch","step":3}}`)
	follow.until(`"PROGRESS"`)
	teacher.until(`"PROGRESS"`)

	second := ""
	for try := 0; ; try++ { // until the room was forgotten, which cannot be seen without waking it
		time.Sleep(idle)
		relay.send("ping") // which wakes nobody
		if got := relay.next(); got != "pong" {
			t.Errorf("a ping is answered by %q", got)
		}
		second = fmt.Sprintf("second-%d", try)
		write(t, at, one.Token, second)
		line := relay.next()
		if strings.HasPrefix(line, `{"type":"HELLO"`) {
			if !strings.Contains(line, `"since":`) {
				t.Errorf("the relay begins anew: %s", line)
			}
			break
		}
		if try == 4 {
			t.Fatalf("the room is not forgotten: %s", line)
		}
	}
	_, before := relay.until(`"key":"default/` + second + `"`)
	if strings.Contains(strings.Join(before, ""), `"default/first"`) {
		t.Errorf("what was sent comes again: %q", before)
	}
	if again, _ := follow.until(`"HELLO"`); again != hello {
		t.Errorf("%s is followed by %s", hello, again)
	}
	_, before = follow.until(`"SYNCED"`)
	for _, want := range []string{
		`"view":{"panel":"stage"}`, `"lesson":"watch","step":3`,
		`"name":"teacher","displayName":"Teacher","role":"teacher","here":1`,
	} {
		if !strings.Contains(strings.Join(before, ""), want) {
			t.Errorf("after it has slept the room has no %s: %q", want, before)
		}
	}
	got := watch.next()
	for strings.HasPrefix(got, `{"type":"ADDED"`) {
		got = watch.next()
	}
	if !strings.HasPrefix(got, "closed 1012") {
		t.Errorf("a watch that cannot go on: %q", got)
	}

	// The room sleeps again while a follower leaves: the others learn of it.
	teacher.until(`"HELLO"`)
	const grace = `"displayName":"Grace","role":"learner","here":`
	if line, _ := teacher.until(grace); !strings.Contains(line, grace+"1") {
		t.Errorf("for a moment nobody is here: %s", line)
	}
	time.Sleep(idle)
	follows.tcp.Close()
	teacher.until(grace + "0")
	// It sleeps, and the member whom a stream belongs to is removed.
	var members struct {
		Items []struct {
			Metadata struct{ Name string }
			Spec     struct{ DisplayName string }
		}
	}
	_, body := ask(t, "GET", strings.TrimSuffix(at+classroom, "rooms/default")+"members", one.Token, "")
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatal(err)
	}
	for _, m := range members.Items {
		if m.Spec.DisplayName == "Ada" {
			ask(t, "DELETE", strings.TrimSuffix(at+classroom, "rooms/default")+"members/"+m.Metadata.Name, one.Token, "")
		}
	}
	relay.until(`"END"`)
	if got := relay.next(); !strings.HasPrefix(got, "closed 1000") {
		t.Errorf("the relay of a member who is gone: %q", got)
	}
	for got := ""; !strings.HasPrefix(got, "closed 1000"); {
		got = follow.next()
	}
}

// all is set in the environment where the tests that take long are to be run, too.
const all = "TABERNETES_LONG"

// long skips a test that waits for the engine, or fills it, unless all are to be run.
func long(t *testing.T) {
	if os.Getenv(all) == "" {
		t.Skip(all + "=1 runs it: the engine takes its time to forget an idle room, and to fill one")
	}
}

// TestManySockets has fifty followers of a room that sleeps and wakes, and one that reads nothing.
func TestManySockets(t *testing.T) {
	long(t)
	url, _ := start(t, t.TempDir())
	one := open(t, url)
	at := url + one.Path
	write(t, at, one.Token, "first")
	var followers []*socket
	for range 50 {
		s := stream(t, at+classroom+"/relay", one.Token)
		s.until(`"SYNCED"`)
		followers = append(followers, s)
	}
	for round := range 2 {
		time.Sleep(idle)
		name := fmt.Sprintf("round-%d", round)
		began := time.Now()
		write(t, at, one.Token, name)
		for _, s := range followers {
			s.until(`"key":"default/` + name + `"`)
		}
		t.Logf("%d followers were told in %v", len(followers), time.Since(began))
	}
	slow := stream(t, at+classroom+"/relay", one.Token)
	slow.until(`"SYNCED"`)
	slow.lazy = true // not before: what a cluster begins with is more than is sent to one who takes nothing
	long := strings.Repeat("x", 64<<10)
	for i := range 8 {
		post(t, at+maps, one.Token, fmt.Sprintf(`{"metadata":{"name":"big-%d"},"data":{"x":%q}}`, i, long))
	}
	followers[0].until(`"key":"default/big-7"`)
	read := 0
	for line := ""; !strings.HasPrefix(line, "closed"); read += len(line) {
		if line = slow.next(); strings.HasPrefix(line, "closed") && !strings.HasPrefix(line, "closed 1013") {
			t.Error(line)
		}
	}
	if read > 512<<10 {
		t.Errorf("one who takes nothing got %d bytes", read)
	}
}

// TestUnreadSocket has a client that reads nothing while the room sleeps: what was sent before is not lost.
func TestUnreadSocket(t *testing.T) {
	long(t)
	url, _ := start(t, t.TempDir())
	one := open(t, url)
	at := url + one.Path
	relay := stream(t, at+classroom+"/relay", one.Token)
	if err := relay.tcp.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	relay.until(`"SYNCED"`)
	long := strings.Repeat("x", 60<<10)
	for i := range 3 {
		post(t, at+maps, one.Token, fmt.Sprintf(`{"metadata":{"name":"long-%d"},"data":{"x":%q}}`, i, long))
	}
	time.Sleep(idle)
	write(t, at, one.Token, "later")
	_, before := relay.until(`"key":"default/later"`)
	told := strings.Join(before, "")
	for i := range 3 {
		if n := strings.Count(told, fmt.Sprintf(`"key":"default/long-%d"`, i)); n != 1 {
			t.Errorf("the object %d was told %d times", i, n)
		}
	}
	t.Logf("the object was forgotten: %v", strings.Contains(told, "HELLO"))
}
