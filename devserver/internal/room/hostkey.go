package room

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
)

// A HostKey is what a server with rooms leaves to those who may read its files: with it one gets a teacher's token of
// any of its rooms.
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
	// A new file, with mode 0600, takes the place of what is there, whose mode may be another one.
	temporary, err := os.CreateTemp(dir, ".host-key-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // it is gone once it has taken the place
	_, err = temporary.Write(append(text, '\n'))
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}
