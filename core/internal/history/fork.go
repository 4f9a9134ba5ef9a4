package history

// Fork makes compactions due when those of another Keeper are, whose retention this one has.
func (k *Keeper) Fork(from *Keeper) { k.begun.Store(from.begun.Load()) }
