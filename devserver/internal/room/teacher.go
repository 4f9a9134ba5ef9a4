package room

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
)

// A Reopening names a room of which somebody wants to be a teacher, and its server.
type Reopening struct {
	// ID is that of the room.
	ID string
	// Data is the directory of a server on this machine that has left its key there; with an empty one it has left the
	// key for the address Addr.
	Data, Addr string
	// URL is that of any other server, such as one at the edge, and KeyFile has its key: alone, or as a server writes it.
	URL, KeyFile string
}

// PrintTeacher prints a link by which a page is a teacher of a room.
func PrintTeacher(ctx context.Context, out io.Writer, r Reopening) error {
	if !roomhost.ValidID(r.ID) {
		return errors.New("name a room: teacher ROOMID, the ten digits behind #room= in its links")
	}
	// The server is on this machine, and its certificate is one that it has made itself.
	find, trust := r.here, &tls.Config{InsecureSkipVerify: true}
	if r.URL != "" || r.KeyFile != "" {
		find, trust = r.elsewhere, nil
	}
	k, err := find()
	if err != nil {
		return err
	}
	token, err := k.teacher(ctx, r.ID, trust)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, roomhost.Link(k.URL, r.ID, token))
	return err
}

// here returns the key of a server on this machine.
func (r Reopening) here() (HostKey, error) {
	file, err := HostKeyFile(r.Data, r.Addr)
	if err != nil {
		return HostKey{}, err
	}
	k, err := readHostKey(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no server with rooms has left its key here; --data or --addr names the server, or --url and "+
			"--key-file one elsewhere: %w", err)
	}
	return k, err
}

// elsewhere returns the key of another server. It is sent to nobody who could not be that server.
func (r Reopening) elsewhere() (HostKey, error) {
	if r.URL == "" || r.KeyFile == "" {
		return HostKey{}, errors.New("a server elsewhere needs both --url and --key-file, a file with its host key")
	}
	at, err := url.Parse(r.URL)
	switch {
	case err != nil:
		return HostKey{}, err
	case at.Host == "" || at.Scheme != "https" && !(at.Scheme == "http" && isLoopback(at.Hostname())):
		return HostKey{}, fmt.Errorf("--url %s: give an https URL, so that no one else reads the key", r.URL)
	}
	text, err := os.ReadFile(r.KeyFile)
	if err != nil {
		return HostKey{}, err
	}
	k := HostKey{Key: strings.TrimSpace(string(text))}
	if strings.HasPrefix(k.Key, "{") {
		k, err = readHostKey(r.KeyFile)
	}
	if err == nil && (k.Key == "" || strings.ContainsAny(k.Key, " \t\r\n")) {
		err = fmt.Errorf("%s: it does not have a key alone", r.KeyFile)
	}
	k.URL = strings.TrimRight(at.Scheme+"://"+at.Host+at.Path, "/")
	return k, err
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// teacher asks the server for a token. trust says which certificates it may have; nil: those that the system trusts.
func (k HostKey) teacher(ctx context.Context, id string, trust *tls.Config) (token string, err error) {
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
	client := &http.Client{
		Transport: &http.Transport{TLSClientConfig: trust, Proxy: http.ProxyFromEnvironment},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the key is for this server
		},
	}
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
