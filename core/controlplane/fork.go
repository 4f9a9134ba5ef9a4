package controlplane

// Fork applies the settings of another ControlPlane, of whose cluster this one's is a copy now. Callers hold that
// cluster's lock.
func (p *ControlPlane) Fork(from *ControlPlane) {
	head, _ := p.Registry.Store.Bounds()
	s := *from.Settings()
	p.apply(&s, head)
}
