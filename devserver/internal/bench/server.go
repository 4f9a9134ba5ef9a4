package bench

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// A Server is a devserver in its own process, which serves the API on a free port.
type Server struct {
	URL     string
	Process int
	command *exec.Cmd
}

// Start starts a server, with more flags, by the program that runs.
func Start(ctx context.Context, flags ...string) (*Server, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append([]string{"--api-only", "--addr", "127.0.0.1:0", "--controllers=false"}, flags...)
	server := exec.CommandContext(ctx, binary, args...)
	server.Stderr = os.Stderr
	stdout, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(stdout)
	url := ""
	for url == "" && lines.Scan() {
		url, _ = strings.CutPrefix(lines.Text(), "listening on ")
	}
	if url == "" {
		return nil, errors.Join(errors.New("the server does not say where it listens"), server.Wait())
	}
	go func() {
		for lines.Scan() { // or it would wait for a reader
		}
	}()
	return &Server{url, server.Process.Pid, server}, nil
}

// End ends the server, and returns how it did.
func (s *Server) End() error {
	_ = s.command.Process.Signal(os.Interrupt) // Wait says how it ended
	return s.command.Wait()
}
