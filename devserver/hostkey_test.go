package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTeacherCommand gets a link by the command, for a room whose teacher's token is lost.
func TestTeacherCommand(t *testing.T) {
	o := options{addr: "127.0.0.1:8080", rooms: true, data: t.TempDir(), quota: 1 << 30, apiOnly: true}
	shared, err := o.roomServer()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(newFront(http.NotFoundHandler(), shared, o))
	t.Cleanup(func() {
		server.Close()
		if err := closeRooms(shared); err != nil {
			t.Error(err)
		}
	})
	command := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := runTeacher(t.Context(), flag.NewFlagSet("teacher", flag.ContinueOnError), args, &out, false)
		return out.String(), err
	}
	_, err = command("0123456789", "--data", o.data)
	if err == nil || !strings.Contains(err.Error(), "has left its key") {
		t.Errorf("without a server: %v", err)
	}
	file, err := hostKeyFile(o.data, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil { // others may read it
		t.Fatal(err)
	}
	if err := (hostKey{server.URL, shared.HostKey}).write(file); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	res, err := http.Post(server.URL+"/rooms", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var opened room
	if err := json.NewDecoder(res.Body).Decode(&opened); err != nil {
		t.Fatal(err)
	}
	link, err := command(opened.ID, "--data", o.data)
	before, token, found := strings.Cut(strings.TrimSpace(link), "&token=")
	if err != nil || !found || before != server.URL+"/#room="+opened.ID || len(token) != 22 || token == opened.Token {
		t.Fatalf("%q, %v", link, err)
	}
	r, err := http.NewRequest("GET", server.URL+opened.Path+"apis/sandbox.tabernetes.dev/v1/roomtokens", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	listed, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer listed.Body.Close()
	if listed.StatusCode != 200 {
		t.Errorf("the token is answered %s", listed.Status)
	}
	for _, wrong := range [][]string{{}, {"../x"}, {opened.ID, "more"}, {"0123456789", "--data", o.data}} {
		if text, err := command(wrong...); err == nil {
			t.Errorf("%q: %s", wrong, text)
		}
	}
	// The next server in the directory has the same key, and another one another.
	if again, err := newHostKey(o.data); err != nil || again != shared.HostKey {
		t.Errorf("%s, %v", again, err)
	}
	if other, err := newHostKey(""); err != nil || other == shared.HostKey {
		t.Errorf("%s, %v", other, err)
	}
	if at, err := hostKeyFile("", "127.0.0.1:8080"); err == nil && filepath.Base(at) != "host-key-127.0.0.1-8080.json" {
		t.Error(at)
	}
}
