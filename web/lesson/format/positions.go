package format

// validateConditions makes sure that the conditions of a question say what they mean by its name: the place of an event
// or an object in its list, and how many there are, are others as soon as anything else happens.
func validateConditions(p *Prediction) error {
	for i := range p.Choices {
		for j := range p.Choices[i].Conds {
			if err := p.Choices[i].Conds[j].named(); err != nil {
				return err
			}
		}
	}
	return nil
}

// named finds fault with a condition that chooses by position, or counts what may be anything.
func (c *ChoiceCond) named() error {
	paths := []Path{c.Left}
	for _, t := range c.Right {
		for _, r := range t.Refs() {
			paths = append(paths, r.Path)
		}
	}
	for _, p := range paths {
		if at := p.position(); at != "" {
			return errAt(c.Line, "%s in %s is a place in a list, which is another's as soon as anything else happens: "+
				"say which entry is meant, as in events[type = ADDED] or items[metadata.name = a]", at, p)
		}
	}
	list := c.Left.countsAll()
	counted := list == "items" && len(c.Right) > 0 && len(c.Right[0].Refs()) > 0
	if (list == "events" || list == "items") && !counted {
		return errAt(c.Line, "%s counts whatever there is: say what is counted, as in events[type = ADDED].length or "+
			"items[metadata.name = a].length, or what is absent", c.Left)
	}
	return nil
}
