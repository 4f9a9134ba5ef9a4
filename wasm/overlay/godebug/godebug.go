// Package godebug is what the browser's binaries have as internal/godebug: settings of the environment variable GODEBUG
// that nobody sets, since there is no environment.
//
// Nobody imports this package: package overlay puts it in the place of the standard
// library's.
package godebug

// A Setting has its default.
type Setting struct{ name string }

// New returns the setting of a name, which has a # before it if it is not documented.
func New(name string) *Setting { return &Setting{name} }

// Name returns the name without that.
func (s *Setting) Name() string {
	if s.Undocumented() {
		return s.name[1:]
	}
	return s.name
}

// Undocumented reports whether there is one.
func (s *Setting) Undocumented() bool { return s.name != "" && s.name[0] == '#' }

// String returns the setting as GODEBUG would have it.
func (s *Setting) String() string { return s.Name() + "=" }

// Value returns the default, which is empty.
func (*Setting) Value() string { return "" }

// IncNonDefault counts uses of another value, which never happen.
func (*Setting) IncNonDefault() {}
