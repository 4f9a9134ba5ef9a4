package room

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
)

// A HostKey is what a server with rooms leaves to whoever may read its files: with it one gets a teacher's token of any
// of its rooms.
type HostKey struct {
	// URL is where the server listens.
	URL string `json:"url"`
	Key string `json:"key"`
}

// HostKeyFile returns where the key of a server is: in the directory of its data, else in the user's cache, by address.
func HostKeyFile(data, addr string) (string, error) {
	if data != "" {
		return filepath.Join(data, "host-key.json"), nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "tabernetes", "host-key-"+strings.NewReplacer(":", "-", "/", "-").Replace(addr)+".json"), nil
}

// NewHostKey returns the key that a server's directory has, or a new one.
func NewHostKey(data string) (string, error) {
	if data != "" {
		file, _ := HostKeyFile(data, "")
		if k, err := readHostKey(file); err == nil {
			return k.Key, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return roomhost.NewHostKey(rand.Reader)
}

// readHostKey reads a key.
func readHostKey(file string) (k HostKey, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err == nil && k.Key == "" {
		err = errors.New("it has no key")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return k, err
}

// Write writes a key where nobody else can read it, for a server that listens from now on.
func (k HostKey) Write(file string) error {
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	// A file of its own, with mode 0600, takes the place of what is there, whose mode may be another one.
	temporary, err := os.CreateTemp(dir, ".host-key-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // once it has taken the place there is none
	_, err = temporary.Write(append(text, '\n'))
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}

// PrintTeacher prints a link by which a page is a teacher of a room, of the server that has left its key with its data,
// or for an address.
func PrintTeacher(ctx context.Context, out io.Writer, id, data, addr string) error {
	if !roomhost.ValidID(id) {
		return errors.New("name a room: teacher ROOMID, the ten digits behind #room= in its links")
	}
	file, err := HostKeyFile(data, addr)
	if err != nil {
		return err
	}
	k, err := readHostKey(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no server with rooms has left its key here; --data or --addr names the server: %w", err)
	}
	if err != nil {
		return err
	}
	token, err := k.teacher(ctx, id)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, roomhost.Link(k.URL, id, token))
	return err
}

// teacher asks the server for a token.
func (k HostKey) teacher(ctx context.Context, id string) (token string, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	body, err := json.Marshal(map[string]string{"id": id})
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, k.URL+"/rooms", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+k.Key)
	r.Header.Set("Content-Type", "application/json")
	// The server is on this machine, and its certificate is one that it has made itself.
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	res, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var answer struct{ Token, Message string }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return "", fmt.Errorf("%s answers %s: %w", k.URL, res.Status, err)
	}
	if res.StatusCode != http.StatusCreated || answer.Token == "" {
		return "", fmt.Errorf("%s answers %s: %s", k.URL, res.Status, answer.Message)
	}
	return answer.Token, nil
}
