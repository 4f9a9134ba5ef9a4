package app

// A Bus carries typed events between panels: who emits one does not know who
// hears it. The zero Bus is ready.
//
// Handlers run one after the other, in the order in which they were added, on
// the caller's goroutine. They must not block.
type Bus struct{ heard map[any]any }

// On has f called with every event of type T that is emitted from now on.
func On[T any](b *Bus, f func(T)) {
	if b.heard == nil {
		b.heard = map[any]any{}
	}
	fs, _ := b.heard[kind[T]()].([]func(T))
	b.heard[kind[T]()] = append(fs, f)
}

// Emit tells those who listen for events of type T of this one.
func Emit[T any](b *Bus, event T) {
	fs, _ := b.heard[kind[T]()].([]func(T))
	for _, f := range fs {
		f(event)
	}
}

// kind stands for a type, as a key.
func kind[T any]() any { return (*T)(nil) }
