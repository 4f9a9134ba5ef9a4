package format

import (
	"slices"
	"strconv"
	"strings"
)

// A Lever is what a step of a scene does to a program of the control plane, before the step's requests: none of it
// touches the program's code.
type Lever struct {
	Do, Program string
	// Resource is of which watches, or writes; Seconds is by how much they are late.
	Resource string
	Seconds  int
	Line     int
}

// What a Lever does.
const (
	// Second starts another replica, which is called as the first, with -2. It waits for the Lease.
	Second = "second"
	// End kills a program, which is not started again.
	End = "end"
	// Stop holds a program where it is, before its next write of a resource: neither its code nor its time runs on.
	Stop = "stop"
	// Continue lets it run on.
	Continue = "continue"
	// Lag has it get what its watches of a resource bring so much later.
	Lag = "lag"
)

// levers are the words of each: what they are for.
var levers = map[string]string{
	Second: "second PROGRAM", End: "end PROGRAM", Stop: "stop PROGRAM before RESOURCE", Continue: "continue PROGRAM",
	Lag: "lag PROGRAM RESOURCE SECONDS",
}

// levers reads a block with a lever a line.
func (p *parser) levers(body []string, open int) error {
	if p.step == nil {
		return errAt(open, "a lever outside of a step")
	}
	for i, line := range body {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		at := open + 1 + i
		form, known := levers[words[0]]
		if !known {
			return errAt(at, "a lever is one of second, end, stop, continue, lag, not %q", words[0])
		}
		if len(strings.Fields(form)) != len(words) {
			return errAt(at, "a lever such as %s", form)
		}
		l := Lever{Do: words[0], Program: words[1], Line: at}
		switch l.Do {
		case Stop:
			l.Resource = words[3]
		case Lag:
			n, err := strconv.Atoi(words[3])
			if err != nil || n < 0 {
				return errAt(at, "a lever such as %s", form)
			}
			l.Resource, l.Seconds = words[2], n
		}
		p.step.Levers = append(p.step.Levers, l)
	}
	return nil
}

// noLevers refuses levers where no programs run.
func (l *Lesson) noLevers() error {
	i := slices.IndexFunc(l.Steps, func(s Step) bool { return len(s.Levers) > 0 })
	if i < 0 {
		return nil
	}
	return errAt(l.Steps[i].Levers[0].Line, "levers of programs are for scenes with programs: on")
}
