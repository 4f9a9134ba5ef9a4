package nested

// Kubectl is the real kubectl, and the terminal's shell.
var Kubectl = Program{
	Name:    "kubectl",
	dir:     "wasm/kubectl",
	bound:   9_000_000,
	patches: kubectlPatches,
}

// kubectlPatches are shown by README.md of wasm/kubectl.
var kubectlPatches = []patch{
	{
		file:   "k8s.io/kubectl/pkg/util/umask.go",
		sha256: "422f65105e5442627f53427891af7242d84b5796b65b82ea5ad75af248823788",
		own:    "umask.txt",
		reason: "there is no umask for js",
	},
	{
		file:   "k8s.io/kubectl/pkg/util/term/resizeevents.go",
		sha256: "f77900d7d213e19fefc28a077d845ae1ae36fece02dcf3c1323548b03a623346",
		own:    "resizeevents.txt",
		reason: "there is no SIGWINCH for js, and nothing that could ask for it",
	},
	{
		file:   "k8s.io/kubectl/pkg/util/interrupt/interrupt.go",
		sha256: "cd3ce09b2cd7ce1eb6a296ce91be5f0dcb93a62651a7dcd7a16ca225423d0b63",
		edits:  []edit{{old: "syscall.SIGHUP, "}},
		reason: "there is no SIGHUP for js",
	},
	{
		file:   "k8s.io/kubectl/pkg/cmd/plugin.go",
		sha256: "59968155fcb2f43a56ddb101802af7a2050fa7d60ead3854a1028f9a8c5b7c1b",
		edits: []edit{{
			"return syscall.Exec(executablePath, append([]string{executablePath}, cmdArgs...), environment)",
			"return syscall.ENOSYS",
		}},
		reason: "no process can become another one, for js",
	},
	{
		file:   "github.com/moby/term/term_unix.go",
		sha256: "3be31689c400d751a6ad1c500b730dcd37412c235c48aec36633e3f020aaca45",
		own:    "term.txt",
		reason: "there is no ioctl for js: the host says in COLUMNS and LINES how large its terminal is",
	},
	{
		file:   "github.com/moby/term/termios_unix.go",
		sha256: "6b19f799ab6e2ea51b972d8a3c47d5027858ad70edce6464276537a3a11581c2",
		reason: "the same",
	},
	{
		file:   "github.com/moby/term/termios_nonbsd.go",
		sha256: "8e37443810665002addd0878eb2bfae93026934f71eb1a8bcacd045a7aedf3a2",
		reason: "the same",
	},
	namedMethods,
	{
		file: "text/template/own.go", own: "methods.txt", standard: true, trick: true,
		reason: "the methods that templates may call, for the row before",
	},
	{
		file: "syscall/tab.go", own: "processes.txt", standard: true,
		reason: "pipes and processes are those of the host: `fs.pipe`, `process.spawn`, `wait`, `kill` and `which`",
	},
	{
		file:   "syscall/fs_js.go",
		sha256: "3c2647c02dda3e153206b26e2fa7215b3aad2e6e2f06080c4c61125e52dbfe67",
		edits: []edit{
			{"func Pipe(fd []int) error {\n\treturn ENOSYS\n}\n", ""},
			{"return nil, EBADF", "return adopt(fd), nil"},
		},
		standard: true,
		reason:   "the same; descriptors that the host gives are known to it alone",
	},
	{
		file:   "syscall/syscall_js.go",
		sha256: "3576e1890a9372b42369f4edfac135bd7d9b4d11c067433e7204959c08612166",
		edits: []edit{
			{"Exited() bool       { return false }", "Exited() bool       { return true }"},
			{"ExitStatus() int    { return 0 }", "ExitStatus() int    { return int(w) }"},
			{"func Kill(pid int, signum Signal) error { return ENOSYS }\n", ""},
			{"func StartProcess(argv0 string, argv []string, attr *ProcAttr) (pid int, handle uintptr, err error) {\n" +
				"\treturn 0, 0, ENOSYS\n}\n", ""},
			{"func Wait4(pid int, wstatus *WaitStatus, options int, rusage *Rusage) (wpid int, err error) {\n" +
				"\treturn 0, ENOSYS\n}\n", ""},
		},
		standard: true,
		reason:   "the same",
	},
	{
		file:     "os/pipe_wasm.go",
		sha256:   "489f8474573b072f95ca0522dd9cc8c92a5e9e9e6eff97f892d49b8f4b7a4d7b",
		own:      "pipe.txt",
		standard: true,
		reason:   "the same",
	},
	{
		file:     "os/exec/lp_wasm.go",
		sha256:   "0f96273c2fe46bce8a32d1c2d7d371cd08a6368dcafb6f00803c2c5c5b3b72db",
		own:      "lookpath.txt",
		standard: true,
		reason:   "the same",
	},
	{
		file:   "mvdan.cc/sh/v3/interp/runner.go",
		sha256: "d532175072bf43c71f7945aba378d9567cafe0a8f1d3761dd65287d2bf0ec71c",
		edits: []edit{{
			"\t\t\t// We can't atomically create a random unused temporary FIFO.\n",
			"\t\t\treturn r.fileOf(ctx, ps)\n",
		}},
		reason: "there are no named pipes: the file of `<(…)` is written first",
	},
	{
		file: "mvdan.cc/sh/v3/interp/substitution.go", own: "substitution.txt",
		reason: "the same",
	},
	{
		file:   "mvdan.cc/sh/v3/interp/stdin_js.go",
		sha256: "fac0098382f7cde280fddc88ed64a166f05cce761ad0d4c338c3fc53323e3445",
		reason: "the shell's pipes are the host's, so that processes can have them",
	},
	{
		file:   "mvdan.cc/sh/v3/interp/stdin_os.go",
		sha256: "7d6783f9ba513b36d84968fa177b9f5106d64292f1d7cdb2087ce544a3e5b63c",
		edits:  []edit{{old: "//go:build !js\n"}},
		reason: "the same",
	},
}
