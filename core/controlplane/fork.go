package controlplane

// Fork applies the settings of another ControlPlane, of whose cluster this one's is a copy now. Callers hold that
// cluster's lock.
func (p *ControlPlane) Fork(from *ControlPlane) {
	head, _ := p.Registry.Store.Bounds()
	if len(p.Added) == 0 && len(from.Added) == 0 {
		s := *from.Settings()
		p.apply(&s, head)
		return
	}
	if v, _, err := p.Registry.Store.Get(bucket, "default", 0); err == nil && v != nil {
		p.Observe(bucket, v.Value, head)
	}
}
