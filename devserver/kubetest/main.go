package kubetest

import (
	"fmt"
	"os"
	"slices"
	"sync"
)

// shared is what Main has prepared.
var shared struct {
	sync.Mutex
	server *Server
}

// Main is for TestMain: it starts a server, has it prepared once, runs the tests, which get forks of it by Fork, and
// ends it and the process. prepare gets what its calls report to.
//
//	func TestMain(m *testing.M) {
//		kubetest.Main(m, func(t kubetest.TB, s *kubetest.Server) { s.Apply(t, "config/crd/bases") })
//	}
func Main(m interface{ Run() int }, prepare func(TB, *Server), options ...Option) {
	os.Exit(run(m, prepare, options...))
}

// run is Main without the end of the process.
func run(m interface{ Run() int }, prepare func(TB, *Server), options ...Option) (code int) {
	t := &mainTB{}
	defer func() {
		if p := recover(); p != nil && p != any(t) {
			panic(p)
		}
		t.clean()
		if t.failed {
			code = max(1, code)
		}
	}()
	s := New(t, options...)
	prepare(t, s)
	if t.failed {
		return 1
	}
	shared.Lock()
	shared.server = s
	shared.Unlock()
	defer func() {
		shared.Lock()
		shared.server = nil
		shared.Unlock()
	}()
	return m.Run()
}

// Fork starts a copy of the server that Main has prepared.
func Fork(t TB) *Server {
	needs(t, "Fork")
	t.Helper()
	shared.Lock()
	s := shared.server
	shared.Unlock()
	if s == nil {
		t.Fatalf("kubetest: Fork needs a TestMain that calls Main")
		return nil
	}
	return s.Fork(t)
}

// mainTB is a TB outside of tests.
type mainTB struct {
	mu       sync.Mutex
	cleanups []func()
	failed   bool
}

func (t *mainTB) Helper() {}

func (t *mainTB) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

func (t *mainTB) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (t *mainTB) Errorf(format string, args ...any) {
	t.Logf(format, args...)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = true
}

// Fatalf ends what Main does: run recovers from it.
func (t *mainTB) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	panic(t)
}

func (t *mainTB) clean() {
	for _, f := range slices.Backward(t.cleanups) {
		f()
	}
}
