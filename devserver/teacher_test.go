package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
	"github.com/tabernetes/tabernetes/devserver/internal/room"
)

// TestTeacherCommand gets a link by the command, for a room whose teacher's token is lost.
func TestTeacherCommand(t *testing.T) {
	const quota = 1 << 30
	dir := t.TempDir()
	shared, err := room.New(cluster.Options{Data: dir, Quota: quota})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(front.New(http.NotFoundHandler(), front.Options{
		Addr: "127.0.0.1:8080", APIOnly: true, Rooms: shared, Guard: room.Guard(shared, quota),
	}))
	t.Cleanup(func() {
		server.Close()
		if err := shared.Close(); err != nil {
			t.Error(err)
		}
	})
	command := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := printTeacher(t.Context(), flag.NewFlagSet("teacher", flag.ContinueOnError), args, &out, "")
		return out.String(), err
	}
	_, err = command("0123456789", "--data", dir)
	if err == nil || !strings.Contains(err.Error(), "has left its key") {
		t.Errorf("without a server: %v", err)
	}
	file, err := room.HostKeyFile(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil { // others may read it
		t.Fatal(err)
	}
	if err := (room.HostKey{URL: server.URL, Key: shared.HostKey}).Write(file); err != nil {
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
	var opened struct{ ID, Path, Token string }
	if err := json.NewDecoder(res.Body).Decode(&opened); err != nil {
		t.Fatal(err)
	}
	link, err := command(opened.ID, "--data", dir)
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
	// The same with the URL of the server and a file that has the key, alone or as the server writes it.
	alone, empty := filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "empty")
	for name, text := range map[string]string{alone: shared.HostKey + "\n", empty: "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, named := range []string{alone, file} {
		link, err := command("--url", server.URL+"/", "--key-file", named, opened.ID)
		if before, token, _ := strings.Cut(strings.TrimSpace(link), "&token="); err != nil ||
			before != server.URL+"/#room="+opened.ID || len(token) != 22 {
			t.Errorf("with a file: %q, %v", link, err)
		}
	}
	asked := false
	unknown := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0)
	unknown.StartTLS()
	t.Cleanup(unknown.Close)
	elsewhere := func(url, file string) []string {
		return []string{opened.ID, "--url", url, "--key-file", file}
	}
	for _, wrong := range [][]string{{}, {"../x"}, {opened.ID, "more"}, {"0123456789", "--data", dir},
		elsewhere("", alone), elsewhere(server.URL, ""), elsewhere(server.URL, empty), elsewhere(server.URL, "none"),
		elsewhere("http://rooms.example", alone), elsewhere("rooms.example", alone), elsewhere(":", alone),
		elsewhere(unknown.URL, alone)} {
		if text, err := command(wrong...); err == nil {
			t.Errorf("%q: %s", wrong, text)
		}
	}
	if asked {
		t.Error("a server whose certificate nobody trusts is shown the key")
	}
	// The next server in the directory has the same key, and another one another.
	if again, err := room.NewHostKey(dir); err != nil || again != shared.HostKey {
		t.Errorf("%s, %v", again, err)
	}
	if other, err := room.NewHostKey(""); err != nil || other == shared.HostKey {
		t.Errorf("%s, %v", other, err)
	}
	at, err := room.HostKeyFile("", "127.0.0.1:8080")
	if err == nil && filepath.Base(at) != "host-key-127.0.0.1-8080.json" {
		t.Error(at)
	}
}
