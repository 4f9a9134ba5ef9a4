package edge_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/edgetest"
)

const membersPath = "apis/sandbox.tabernetes.dev/v1/members"

// TestHostKey gets a teacher's token of a room by the host's key.
func TestHostKey(t *testing.T) {
	url, _ := start(t, t.TempDir())
	one := open(t, url)
	for _, c := range []struct {
		key, body string
		code      int
	}{
		{edgetest.HostKey, `{"id":"` + one.ID + `"}`, 201}, {"BAAAAAAAAAAAAAAAAAAAAA", `{"id":"` + one.ID + `"}`, 401},
		{edgetest.HostKey, `{"id":"0123456789"}`, 404}, {edgetest.HostKey, `{"id":"x"}`, 404}, {edgetest.HostKey, ``, 400},
	} {
		code, body := ask(t, "POST", url+"/rooms", c.key, c.body)
		if code != c.code {
			t.Errorf("%+v: %d %s", c, code, body)
		}
		var again room
		if code != 201 {
			continue
		}
		if err := json.Unmarshal(body, &again); err != nil || again.ID != one.ID || again.Path != one.Path ||
			again.Token == one.Token {
			t.Fatalf("%s %v", body, err)
		}
		code, body = ask(t, "GET", url+one.Path+"apis/sandbox.tabernetes.dev/v1/roomtokens", again.Token, "")
		if code != 200 {
			t.Errorf("the token is answered %d %s", code, body)
		}
	}
}

// network returns the network that a room has noted of somebody who joins from an address of this machine, with some
// headers.
func network(t *testing.T, at, teacher, invitation, from, name string, headers ...string) string {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(t.Context(), "POST", at+classroom+"/join",
		strings.NewReader(`{"displayName":"`+name+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+invitation)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var joined, member struct {
		Spec struct{ Member, Network string }
	}
	text, _ := io.ReadAll(res.Body)
	if err := json.Unmarshal(text, &joined); err != nil || res.StatusCode != 201 {
		t.Fatalf("%s %s", res.Status, text)
	}
	_, text = ask(t, "GET", at+membersPath+"/"+joined.Spec.Member, teacher, "")
	if err := json.Unmarshal(text, &member); err != nil {
		t.Fatalf("%s %v", text, err)
	}
	return member.Spec.Network
}

// TestNetworks checks that the room knows from where somebody joins, and that no header can tell it otherwise.
func TestNetworks(t *testing.T) {
	url, _ := start(t, t.TempDir())
	one := open(t, url)
	at := url + one.Path
	var invited struct{ Status struct{ Token string } }
	if err := json.Unmarshal(post(t, at+classroom+"/invite", one.Token, `{"role":"learner"}`), &invited); err != nil {
		t.Fatal(err)
	}
	link := invited.Status.Token
	first := network(t, at, one.Token, link, "127.0.0.1", "Ada")
	if len(first) != 6 {
		t.Errorf("the network is %q", first)
	}
	for n, header := range []string{"Tabernetes-Address", "CF-Connecting-IP", "X-Forwarded-For"} {
		if got := network(t, at, one.Token, link, "127.0.0.1", fmt.Sprint("Eve ", n), header, "192.0.2.1"); got != first {
			t.Errorf("with the header %s it is %q, not %q", header, got, first)
		}
	}
	if got := network(t, at, one.Token, link, "127.0.0.2", "Grace"); got == first || got == "" {
		t.Errorf("from another address it is %q", got)
	}
}

// TestFullRoom fills a room at the edge, whose host has little memory: a 403 says which quota it is, and the teacher
// can do all that governs the room.
func TestFullRoom(t *testing.T) {
	long(t)
	url, _ := start(t, t.TempDir())
	one := open(t, url)
	at := url + one.Path
	for n := range 10 {
		token := join(t, at, one.Token, fmt.Sprint("Flood ", n))
		for i, refused := 0, false; !refused; i++ {
			code, text := ask(t, "POST", at+maps, token,
				fmt.Sprintf(`{"metadata":{"name":"fill-%d-%d"},"data":{"v":%q}}`, n, i, strings.Repeat("x", 400<<10)))
			refused = code == 403 && strings.Contains(string(text), "exceeded quota of the room: ")
			if code != 201 && !refused {
				t.Fatalf("%d %.500s", code, text)
			}
		}
	}
	code, text := ask(t, "GET", at+classroom+"/usage", one.Token, "")
	t.Logf("usage: %d %.1500s", code, text)
	late := join(t, at, one.Token, "Late")
	write(t, at, late, "late")
	r, err := http.NewRequestWithContext(t.Context(), "PATCH", at+classroom, strings.NewReader(`{"spec":{"frozen":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+one.Token)
	r.Header.Set("Content-Type", "application/merge-patch+json")
	res, err := client.Do(r)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("freeze: %v %v", res, err)
	}
	_ = res.Body.Close()
	if code, text := ask(t, "POST", at+maps, late, `{"metadata":{"name":"later"}}`); code != 403 {
		t.Errorf("%d %s", code, text)
	}
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	_, text = ask(t, "GET", at+membersPath, one.Token, "")
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Items {
		if name := m.Metadata.Name; strings.HasPrefix(name, "flood") {
			if code, text := ask(t, "DELETE", at+membersPath+"/"+name, one.Token, ""); code != 200 {
				t.Errorf("%d %s", code, text)
			}
			post(t, at+classroom+"/purge", one.Token, `{"member":"`+name+`"}`)
		}
	}
	write(t, at, one.Token, "space")
	post(t, at+"apis/sandbox.tabernetes.dev/v1/controlplanes/default/reset", one.Token, `{}`)
}
