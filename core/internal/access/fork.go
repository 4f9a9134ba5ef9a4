package access

// Fork gives a gate, whose settings are those of another one, the roles of that. If they are complete there, no request
// has to wait for them.
func (g *Gate) Fork(from *Gate) {
	g.rbac.Fork(&from.rbac)
	if from.pending.Load() == nil {
		if o := g.pending.Swap(nil); o != nil {
			o.end()
		}
	}
}
