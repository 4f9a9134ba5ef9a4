package filelock

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// sharingViolation is the error for a file that another has opened for itself.
const sharingViolation = syscall.Errno(32)

// Lock opens a file, which is made if need be, for itself alone, until it is
// closed or the process ends, however it does; ErrLocked if somebody else has it.
func Lock(name string) (io.Closer, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const shared = 0
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, shared, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, ErrLocked
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// Open locks nothing: here the lock file cannot be removed while it is open.
func Open(*os.File) error { return nil }
