//go:build unix

package torture

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a command the first of a group of processes.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the group, with processes that trace the command or that it started.
func killGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
