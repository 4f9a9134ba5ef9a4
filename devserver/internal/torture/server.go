package torture

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// collection is where the objects are: of a type that no controller writes.
const collection = "/api/v1/namespaces/default/secrets"

// A Server is a devserver that runs.
type Server struct {
	URL    string
	Client *http.Client
	// Gone is closed once it has ended.
	Gone chan struct{}

	process *exec.Cmd
	mu      sync.Mutex
	output  strings.Builder
}

// A Slowness is a way to have slow syncs.
type Slowness int

const (
	// AsItIs leaves the disk alone.
	AsItIs Slowness = iota
	// BySetting asks the server to delay its syncs.
	BySetting
	// ByTracing has strace delay them.
	ByTracing
)

// slowSync is the name of the environment variable that delays syncs.
const slowSync = "TABERNETES_SLOW_SYNC"

// start starts a server on a data directory and waits until it listens. arguments are those that make it serve what is
// tortured.
func start(binary string, arguments []string, data string, slowness Slowness, delay time.Duration) (*Server, error) {
	command := append([]string{binary}, arguments...)
	command = append(command, "--addr", "127.0.0.1:0", "--data", data)
	if slowness == ByTracing {
		command = append([]string{
			"strace", "-f", "--seccomp-bpf", "-qq", "-o", os.DevNull, "-e", "trace=fsync,fdatasync",
			"-e", fmt.Sprintf("inject=fsync,fdatasync:delay_enter=%d", delay.Microseconds()),
		}, command...)
	}
	s := &Server{process: exec.Command(command[0], command[1:]...), Gone: make(chan struct{})}
	s.process.Env = os.Environ()
	if slowness == BySetting {
		s.process.Env = append(s.process.Env, slowSync+"="+delay.String())
	}
	ownGroup(s.process)
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.process.Stdout, s.process.Stderr = write, write
	err = s.process.Start()
	_ = write.Close()
	if err != nil {
		_ = read.Close()
		return nil, err
	}
	listening := make(chan string, 1)
	go s.listen(read, listening)
	timer := time.NewTimer(30 * time.Second)
	defer timer.Stop()
	select {
	case s.URL = <-listening:
	case <-s.Gone:
		return nil, fmt.Errorf("the server ended at its start:\n%s", s.Output())
	case <-timer.C:
		s.Kill()
		return nil, fmt.Errorf("the server did not start:\n%s", s.Output())
	}
	// workerd closes connections that were idle for 5 s, and what is written to one then is not answered.
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true, IdleConnTimeout: 3 * time.Second}
	s.Client = &http.Client{Transport: transport}
	return s, nil
}

// plain are the arguments of a server with one cluster.
var plain = []string{"--api-only"}

// listen keeps what the server says, until all of its processes have ended.
func (s *Server) listen(out io.ReadCloser, listening chan<- string) {
	defer close(s.Gone)
	defer func() {
		_ = out.Close()
		_ = s.process.Wait()
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		s.mu.Lock()
		s.output.WriteString(lines.Text() + "\n")
		s.mu.Unlock()
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			listening <- url
		}
	}
}

// Output returns what the server has printed.
func (s *Server) Output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.output.String()
}

// Kill ends the server at once, and returns when it has ended.
func (s *Server) Kill() {
	killGroup(s.process)
	<-s.Gone
	if s.Client != nil {
		s.Client.CloseIdleConnections()
	}
}

// Dead reports whether the server has ended, or was killed and will end.
func (s *Server) Dead() bool {
	select {
	case <-s.Gone:
		return true
	default:
		return false
	}
}

var errStatus = errors.New("refused")

// An answer is a server's answer to a request.
type answer struct {
	code int
	body []byte
}

// do makes a request and reads the whole answer.
func (s *Server) do(method, path, contentType, body string) (answer, error) {
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	request, err := http.NewRequest(method, s.URL+path, content)
	if err != nil {
		return answer{}, err
	}
	if body != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, err
	}
	return answer{response.StatusCode, all}, nil
}

// get makes a request that has to succeed.
func (s *Server) get(path string) ([]byte, error) {
	a, err := s.do("GET", path, "", "")
	if err == nil && a.code != http.StatusOK {
		err = fmt.Errorf("%w: GET %s: %d %s", errStatus, path, a.code, a.body)
	}
	return a.body, err
}

// Build returns the devserver to torture: the one that TABERNETES_DEVSERVER names, as
// seen from the root of the project, or else one that is built into dir.
func Build(root, dir string) (string, error) {
	if binary := os.Getenv("TABERNETES_DEVSERVER"); binary != "" {
		if strings.HasPrefix(binary, "/") {
			return binary, nil
		}
		return root + "/" + binary, nil
	}
	binary := dir + "/devserver"
	build := exec.Command("go", "build", "-o", binary, "./devserver")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
}

// tracing reports whether strace can be used here.
func tracing() bool {
	return exec.Command("strace", "-f", "--seccomp-bpf", "-qq", "-o", os.DevNull, "-e", "trace=fsync", "true").Run() == nil
}
