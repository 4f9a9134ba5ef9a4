package hostile

import (
	"fmt"
	"os"
	"strings"
)

// A machine counts what all processors have done so far, in ticks of the clock of the system: in all, at work, and for
// some processes.
type machine struct{ all, busy, own int64 }

// machine counts for the test, the servers and who attacks them. It is zero where that is not known.
func (p pair) machine() (m machine) {
	text, _ := os.ReadFile("/proc/stat") // none: it is not known
	line, _, _ := strings.Cut(string(text), "\n")
	var user, nice, system, idle, waits, irq, soft, steal int64
	if _, err := fmt.Sscanf(line, "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &waits, &irq, &soft,
		&steal); err != nil {
		return machine{}
	}
	m.busy = user + nice + system + irq + soft + steal
	m.all = m.busy + idle + waits
	processes := []int{os.Getpid(), p.works.process}
	if p.control != nil {
		processes = append(processes, p.control.process)
	}
	for _, id := range processes {
		m.own += ticks(id)
	}
	return m
}

// ticks returns how long a process has run.
func ticks(process int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process)) // none: the process has ended
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	const user = 11 // the 14th field of all
	var inProgram, inSystem int64
	if len(fields) > user+1 {
		_, _ = fmt.Sscan(fields[user]+" "+fields[user+1], &inProgram, &inSystem) // they are numbers
	}
	return inProgram + inSystem
}

// others returns which part of the machine's time between two counts other processes had, at most mostOthers.
func (m machine) others(since machine) float64 {
	const mostOthers = 0.9
	all := m.all - since.all
	if all <= 0 {
		return 0
	}
	part := float64(m.busy-since.busy-(m.own-since.own)) / float64(all)
	return min(max(0, part), mostOthers)
}
