//go:build unix

package filelock

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// Lock locks a file, which is made if need be, until it is closed or the
// process ends, however it does; ErrLocked if somebody else has it.
func Lock(name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := Open(f); err != nil {
		_ = f.Close() // nothing was written to it
		return nil, err
	}
	return f, nil
}

// Open locks an open file until it is closed; ErrLocked if somebody else has it.
func Open(f *os.File) (err error) {
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
		return ErrLocked
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}
