//go:build unix

package data

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockFile locks a file, which is made if need be, until it is closed or the
// process ends, however it does; errLocked if somebody else has it.
func lockFile(name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, ownersOnly)
	if err != nil {
		return nil, err
	}
	if err := lockOpen(f); err != nil {
		_ = f.Close() // nothing was written to it
		return nil, err
	}
	return f, nil
}

// lockOpen locks an open file until it is closed; errLocked if somebody else has it.
func lockOpen(f *os.File) (err error) {
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return errLocked
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}
