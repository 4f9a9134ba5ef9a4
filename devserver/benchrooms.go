package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"strings"
	"time"

	roombench "github.com/tabernetes/tabernetes/devserver/room/bench"
)

// benchRooms measures a room with many followers, in a server of its own or in the one that the flags name.
func benchRooms(ctx context.Context, flags *flag.FlagSet, args []string) error {
	o := roombench.Options{Paces: []int{20, 100, 0}}
	flags.StringVar(&o.URL, "url", "", "")
	flags.IntVar(&o.Process, "pid", -1, "")
	flags.IntVar(&o.Followers, "followers", 300, "")
	flags.IntVar(&o.Writers, "writers", 20, "")
	flags.DurationVar(&o.Time, "time", 5*time.Second, "")
	flags.BoolVar(&o.WebSocket, "websocket", false, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	if o.URL != "" {
		return roombench.Run(ctx, os.Stdout, o)
	}
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	server, url, err := startServer(ctx, binary, "--rooms")
	if err != nil {
		return err
	}
	o.URL, o.Process = url, server.Process.Pid
	err = roombench.Run(ctx, os.Stdout, o)
	_ = server.Process.Signal(os.Interrupt) // Wait says how it ended
	return cmp.Or(err, server.Wait())
}

// startServer starts a server of the API on a free port, and returns its URL.
func startServer(ctx context.Context, binary string, flags ...string) (*exec.Cmd, string, error) {
	args := append([]string{"--api-only", "--addr", "127.0.0.1:0", "--controllers=false"}, flags...)
	server := exec.CommandContext(ctx, binary, args...)
	server.Stderr = os.Stderr
	stdout, err := server.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := server.Start(); err != nil {
		return nil, "", err
	}
	lines := bufio.NewScanner(stdout)
	url := ""
	for url == "" && lines.Scan() {
		url, _ = strings.CutPrefix(lines.Text(), "listening on ")
	}
	if url == "" {
		return nil, "", errors.Join(errors.New("the server does not say where it listens"), server.Wait())
	}
	go func() {
		for lines.Scan() { // or it would wait for a reader
		}
	}()
	return server, url, nil
}
