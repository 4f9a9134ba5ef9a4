package data

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// sharingViolation is the error for a file that another has opened for itself.
const sharingViolation = syscall.Errno(32)

// lockFile opens a file, which is made if need be, for itself alone, until it is
// closed or the process ends, however it does; errLocked if somebody else has it.
func lockFile(name string) (io.Closer, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const shared = 0
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, shared, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, errLocked
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// lockOpen locks nothing: here the lock file cannot be removed while it is open.
func lockOpen(*os.File) error { return nil }
