package objects

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// TableAccept asks for a Table, which ReadTable reads.
const TableAccept = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json"

// A TableRow is an object as the server's Table shows it to kubectl.
type TableRow struct {
	Namespace, Name string
	Cells           map[string]string // by the names of columns
	CPU             int64             // see cpu; 0 where only the metadata of objects are asked for
}

// ReadTable reads a page of a Table that has the metadata of its objects, and the token of the next page; empty: it is
// the last.
func ReadTable(text string) (rows []TableRow, token string, err error) {
	c := scan.New(text)
	var columns []string
	err = c.Object(func(key string) error {
		switch key {
		case "metadata":
			return texts(c, map[string]*string{"continue": &token})
		case "columnDefinitions":
			return c.Array(func() error {
				return c.Object(func(key string) error {
					if key != "name" {
						return c.Skip()
					}
					name, err := c.String()
					columns = append(columns, name)
					return err
				})
			})
		case "rows":
			return c.Array(func() error {
				row, err := tableRow(c, columns)
				rows = append(rows, row)
				return err
			})
		}
		return c.Skip()
	})
	return rows, strings.Clone(token), err
}

func tableRow(c *scan.Cursor, columns []string) (TableRow, error) {
	row := TableRow{Cells: map[string]string{}}
	err := c.Object(func(key string) error {
		switch key {
		case "cells":
			i := -1
			return c.Array(func() error {
				raw, err := c.Raw()
				if i++; i < len(columns) && err == nil {
					if text, err := scan.New(raw).String(); err == nil {
						raw = text
					}
					row.Cells[columns[i]] = strings.Clone(raw)
				}
				return err
			})
		case "object":
			raw, err := c.Raw()
			if err != nil {
				return err
			}
			m, err := member(scan.New(raw))
			if row.Namespace, row.Name = m.Namespace, m.Name; err == nil {
				row.CPU, err = cpu(scan.New(raw))
			}
			return err
		}
		return c.Skip()
	})
	return row, err
}

// A PodState says in which of a few states a Pod is, as far as they are drawn differently.
type PodState string

// The states of Pods.
const (
	PodRunning PodState = "running"
	PodSilent  PodState = "silent" // as its node said last, which says nothing at present
	PodPending PodState = "pending"
	PodEnding  PodState = "ending"
	PodDone    PodState = "done"
	PodFailing PodState = "failing"
)

// A PlacedPod is a Pod on its node.
type PlacedPod struct {
	Namespace, Name string
	State           PodState
	Status          string // kubectl's word for it, with what is not ready
}

// A PlacedNode is a node with its Pods, in the order of their names.
type PlacedNode struct {
	Name   string
	Status string // kubectl's word for it
	Ready  bool
	Pods   []PlacedPod
	// CPU is how much of it there is for Pods, in thousandths, and Asked how much those on the node ask for.
	CPU, Asked int64
}

// Place puts Pods on their nodes, which are in the order of their names; those that are on none, or on one that is not
// there, are apart.
func Place(nodes, pods []TableRow) (placed []PlacedNode, nowhere []PlacedPod) {
	at := map[string]int{}
	for _, n := range nodes {
		at[n.Name] = len(placed)
		status := n.Cells["Status"]
		placed = append(placed, PlacedNode{Name: n.Name, Status: status, Ready: isReady(status), CPU: n.CPU})
	}
	for _, row := range pods {
		p := PlacedPod{Namespace: row.Namespace, Name: row.Name, Status: row.Cells["Status"]}
		i, known := at[row.Cells["Node"]]
		p.State = stateOfPod(p.Status)
		ready, all, _ := strings.Cut(row.Cells["Ready"], "/")
		switch {
		case p.State == PodRunning && known && !placed[i].Ready:
			p.State, p.Status = PodSilent, p.Status+"?"
		case p.State == PodRunning && ready != all:
			p.Status += ", " + row.Cells["Ready"] + " ready"
		}
		if known {
			placed[i].Pods = append(placed[i].Pods, p)
			placed[i].Asked += row.CPU
		} else {
			nowhere = append(nowhere, p)
		}
	}
	return placed, nowhere
}

// isReady reports whether the status of a node, as its Table says it, begins with Ready; what follows says that it is
// cordoned.
func isReady(status string) bool {
	first, _, _ := strings.Cut(status, ",")
	return first == "Ready"
}

// stateOfPod returns the state of a Pod with that word in the column STATUS (k8s.io/kubernetes, pkg/printers): a phase,
// or the reason why a container waits or has ended.
func stateOfPod(status string) PodState {
	switch status {
	case "Running":
		return PodRunning
	case "Completed", "Succeeded":
		return PodDone
	case "Terminating":
		return PodEnding
	case "Pending", "ContainerCreating", "PodInitializing", "SchedulingGated":
		return PodPending
	}
	if step, of := strings.CutPrefix(status, "Init:"); of && strings.Contains(step, "/") {
		return PodPending // so many of its init containers are through
	}
	return PodFailing
}
