package kubetest

import "testing"

// tests is what Main runs.
type tests func() int

func (f tests) Run() int { return f() }

func TestMainPrepares(t *testing.T) {
	code := run(tests(func() int {
		f := Fork(t)
		want(t, f.Client, 200, "GET", "/apis/example.com/v1/namespaces/shop/orders/first", "")
		return 3
	}), func(t TB, s *Server) { s.Apply(t, "testdata") })
	if code != 3 {
		t.Errorf("the tests' code is %d", code)
	}
	if code := run(tests(func() int { return 0 }), func(t TB, s *Server) { s.Apply(t, "none") }); code != 1 {
		t.Errorf("without what it needs the code is %d", code)
	}
	f := &fake{}
	f.run(func() { Fork(f) })
	if len(f.fatal) != 1 {
		t.Errorf("a fork without Main: %q", f.fatal)
	}
}
