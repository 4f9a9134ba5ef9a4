package schema

// A Column is a column of the tables in which objects of a custom resource are
// shown, besides that of their names.
type Column struct {
	Name, Type, Format, Description string
	// JSONPath is where in an object the cell is, as in ".spec.size".
	JSONPath string
	// Priority is 0 for what is always shown, and more for what only wide tables show.
	Priority int32
}
