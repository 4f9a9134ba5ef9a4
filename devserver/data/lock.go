package data

import (
	"errors"
	"io"
)

// Lock locks a file, which is made if need be, until what it returns is closed or the process ends, however it does.
func Lock(name string) (io.Closer, error) {
	lock, err := lockFile(name)
	if errors.Is(err, errLocked) {
		err = errors.New("another process uses it")
	}
	return lock, err
}
