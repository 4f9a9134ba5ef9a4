package network

import "maps"

// Fork makes what others have allocated used here as well. They share it until either changes.
func (a *Allocations) Fork(from *Allocations) {
	a.ClusterIPs.(*pool).fork(from.ClusterIPs.(*pool))
	a.NodePorts.(*pool).fork(from.NodePorts.(*pool))
}

func (p *pool) fork(from *pool) {
	from.mu.Lock()
	defer from.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used, p.shared, from.shared = from.used, true, true
}

// own makes the values in use the pool's own, before they change. Callers hold the lock.
func (p *pool) own() {
	if p.shared {
		p.used, p.shared = maps.Clone(p.used), false
	}
}
