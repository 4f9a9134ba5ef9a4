package text

import (
	"encoding/json"
	"strings"
)

// A Grid is a Table as people read it.
type Grid struct {
	Columns []Column
	Rows    [][]string
}

// A Column is one of a Grid. Wide ones are those that kubectl shows with -o wide.
type Column struct {
	Name, About string
	Wide        bool
}

// Table reads a Table of meta.k8s.io. It returns nil if the text is not one.
func Table(src string) *Grid {
	if !strings.Contains(src[:min(len(src), 64)], `"Table"`) {
		return nil
	}
	var table struct {
		Kind              string
		ColumnDefinitions []struct {
			Name, Description string
			Priority          int
		}
		Rows []struct{ Cells []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(src), &table); err != nil || table.Kind != "Table" {
		return nil
	}
	g := &Grid{}
	for _, c := range table.ColumnDefinitions {
		g.Columns = append(g.Columns, Column{c.Name, c.Description, c.Priority > 0})
	}
	for _, row := range table.Rows {
		var cells []string
		for _, cell := range row.Cells {
			s := string(cell)
			if strings.HasPrefix(s, `"`) {
				_ = json.Unmarshal(cell, &s) // it has been read once
			}
			cells = append(cells, s)
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}
