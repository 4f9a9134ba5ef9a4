package programs

func init() {
	all = map[string]program{
		"cat":  cat,
		"curl": curl,
		"grep": grep,
		"ls":   ls,
	}
}
