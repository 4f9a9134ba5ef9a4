//go:build !linux

package edge

import "syscall"

// attributes are those of the engine's process: the usual ones. Ctrl-C in a terminal reaches it too,
// and cuts its streams.
func attributes() *syscall.SysProcAttr { return nil }
