package shrink

// Env returns the environment in which the go command compiles the binaries. The
// experiment is there for Flags: only the compiler's new heuristics know of a
// budget for inlining.
func (s Set) Env() []string {
	env := []string{"GOOS=js", "GOARCH=wasm"}
	if s.Has(noInlining) {
		env = append(env, "GOEXPERIMENT=newinliner")
	}
	return env
}

// Flags returns the go command's flags for compiling the binaries' packages. Tests with
// the same flags test what is shipped, and compile it once.
//
// Nothing is inlined: WebAssembly from Go is bulky, above all where calls are, and
// most of it runs rarely. The exception is the runtime, whose smallest functions are
// inlined, of 30 nodes where the compiler's own bound is 80. That adds 10 KB, and a
// small request takes as little time as if everything was inlined.
func (s Set) Flags() []string {
	flags := []string{"-trimpath"}
	if s.Has(noInlining) {
		const smallest = "-d=inlbudgetslack=-50"
		flags = append(flags,
			"-gcflags=all=-l",
			"-gcflags=runtime="+smallest,
			"-gcflags=internal/runtime/...="+smallest,
			"-gcflags=internal/abi="+smallest,
			"-gcflags=internal/goarch="+smallest,
		)
	}
	return flags
}
