package nested

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTranscripts has the kubectl of the page print what the native one prints: it goes through the transcripts and
// watches of the native one's tests, by the page's kernel.
func TestTranscripts(t *testing.T) {
	p := newProgram(t)
	dir := t.TempDir()
	socket, host := filepath.Join(dir, "socket"), filepath.Join(filepath.Dir(p.args[0]), "program.mjs")
	server := exec.CommandContext(t.Context(), "node", host, "serve", socket, p.args[1], p.args[2])
	server.Env = append(os.Environ(), "NODE_TLS_REJECT_UNAUTHORIZED=0", "NODE_NO_WARNINGS=1")
	server.Stderr = t.Output()
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it ends then
		_ = server.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "kubectl")
	script := fmt.Sprintf("#!/bin/sh\nexec node '%s' run '%s' \"$@\"\n", host, socket)
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	tests := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-timeout=60m", "./kubectl")
	tests.Dir = filepath.Join("..", "..", "..", "core", "conformance", "upstream")
	tests.Env = append(os.Environ(), "TABERNETES_KUBECTL_PROGRAM="+program)
	tests.Stdout, tests.Stderr = t.Output(), t.Output()
	if err := tests.Run(); err != nil {
		t.Fatal(err)
	}
}
