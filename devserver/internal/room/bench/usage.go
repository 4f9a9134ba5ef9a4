package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A usage is what a process has taken: the time of its processors, and its memory, as Linux tells.
type usage struct {
	known  bool
	cpu    time.Duration
	memory int64
}

// tick is the unit of times in /proc.
const tick = 10 * time.Millisecond

// usageOf reads the usage of a process, 0 being this one. It is not known on other systems, and for
// a process that is not given, -1.
func usageOf(process int) (u usage) {
	at := "/proc/self"
	if process != 0 {
		at = fmt.Sprint("/proc/", process)
	}
	text, err := os.ReadFile(at + "/stat")
	if err != nil {
		return u
	}
	_, rest, ok := strings.Cut(string(text), ") ") // the name may have spaces
	fields := strings.Fields(rest)
	if !ok || len(fields) < 22 {
		return u
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return n
	}
	return usage{true, time.Duration(number(11)+number(12)) * tick, number(21) * int64(os.Getpagesize())}
}

// since returns the time that was taken since an earlier usage, and the memory now.
func (u usage) since(before usage) usage {
	u.cpu -= before.cpu
	return u
}
