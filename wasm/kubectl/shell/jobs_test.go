package shell

import "testing"

// TestJobControl wants jobs to be listed, waited for, brought back and ended, as bash names them.
func TestJobControl(t *testing.T) {
	tt := openTerminal(t, &Shell{}, 1)
	const running = "  Running                 "
	for _, c := range []struct {
		text, out string
		status    int
	}{
		{"sleep 1000 & echo $! $?", "[1] g1\ng1 0\n", 0},
		{"sleep 1001 | cat &", "[2] g2\n", 0},
		{"jobs", "[1]" + running + "sleep 1000 &\n[2]" + running + "sleep 1001 | cat &\n", 0},
		{"kill %1; jobs", "[2]" + running + "sleep 1001 | cat &\n", 0},
		{"kill %1", "bash: kill: %1: no such job\n", 1},
		{"kill -9 $!; jobs; fg", "bash: fg: current: no such job\n", 1},
		{"kill", "bash: kill: which job? jobs lists them: kill %1\n", 1},
		{"(exit 3) & wait $!; echo $?; jobs", "[1] g3\n3\n", 0},
		{"set -e; false & wait; set +e; jobs; echo over", "[1] g4\nover\n", 0},
		{"sleep 0.01 & fg %1; jobs", "[1] g5\nsleep 0.01\n", 0},
		{"sleep 0.01 & wait %1; jobs", "[1] g6\n", 0},
		{"while :; do :; done & kill $!; jobs", "[1] g7\n", 0},
		{"X=1; X=2 & wait; echo $X", "[1] g8\n1\n", 0},
		{"sh -c 'sleep 1000 & kill $!; jobs'", "bash: kill: g1: no such job\n", 0},
		{"type -t jobs kill", "builtin\nbuiltin\n", 0},
	} {
		if out, r := tt.run(c.text); out != c.out || r.Status != c.status {
			t.Errorf("%s\nprinted %q, %d\nand not %q, %d", c.text, out, r.Status, c.out, c.status)
		}
	}
}

// TestInterruptAll wants an interrupt of all to end jobs as well, also those within a command.
func TestInterruptAll(t *testing.T) {
	tt := openTerminal(t, &Shell{}, 1)
	tt.run("sleep 1000 & { sleep 1000 & }")
	tt.shell.Interrupt(1, false)
	if out, _ := tt.run("jobs"); out == "" {
		t.Error("the job has ended by an interrupt of what is before")
	}
	tt.shell.Interrupt(1, true)
	if out, _ := tt.run("jobs; wait; echo over"); out != "over\n" {
		t.Errorf("%q", out)
	}
}

// TestErrexit wants set -e to leave the terminal there, with a sentence, and exit not to.
func TestErrexit(t *testing.T) {
	tt := openTerminal(t, &Shell{}, 1)
	out, r := tt.run("set -euo pipefail; false | true; echo after")
	if r.Exited || r.Status != 1 ||
		out != "bash: set -e would end a shell here. This terminal goes on; set +e turns that off.\n" {
		t.Errorf("%+v, %q", r, out)
	}
	if out, r := tt.run("set +e; false; echo after"); r.Exited || out != "after\n" {
		t.Errorf("%+v, %q", r, out)
	}
	if _, r := tt.run("set -e; false || exit 4"); !r.Exited || r.Status != 4 {
		t.Errorf("%+v", r)
	}
}
