package edge

import "syscall"

// attributes are those of the engine's process: Ctrl-C in a terminal does not reach it, so that it can be ended in an
// orderly way, and it ends with this process, however that does.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
