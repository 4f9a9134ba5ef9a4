package memory

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A Process is what a process has taken, as Linux tells: the time of its processors, in steps of ten milliseconds, and
// its memory in bytes.
type Process struct {
	Known     bool
	Processor time.Duration
	Resident  int64
}

// tick is the unit of times in /proc.
const tick = 10 * time.Millisecond

// ReadProcess reads what a process has taken, 0 being this one. It is not known on other systems, and for a process
// that is not given, -1.
func ReadProcess(process int) (p Process) {
	at := "/proc/self"
	if process != 0 {
		at = fmt.Sprint("/proc/", process)
	}
	text, err := os.ReadFile(at + "/stat")
	if err != nil {
		return p
	}
	_, rest, ok := strings.Cut(string(text), ") ") // the name may have spaces
	fields := strings.Fields(rest)
	if !ok || len(fields) < 22 {
		return p
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return n
	}
	return Process{true, time.Duration(number(11)+number(12)) * tick, number(21) * int64(os.Getpagesize())}
}

// Since returns the time that was taken since an earlier reading, and the memory now.
func (p Process) Since(before Process) Process {
	p.Processor -= before.Processor
	return p
}
