package app

// A Bus carries typed events between panels: the panel that emits an event does not know which panels handle it. The
// zero Bus is ready.
//
// Handlers run one after another, in the order in which they were added, on the caller's goroutine. They must not
// block.
type Bus struct{ heard map[any]any }

// On calls f with every event of type T that is emitted from now on.
func On[T any](b *Bus, f func(T)) {
	if b.heard == nil {
		b.heard = map[any]any{}
	}
	fs, _ := b.heard[kind[T]()].([]func(T))
	b.heard[kind[T]()] = append(fs, f)
}

// Emit calls the handlers of events of type T.
func Emit[T any](b *Bus, event T) {
	fs, _ := b.heard[kind[T]()].([]func(T))
	for _, f := range fs {
		f(event)
	}
}

// kind stands for a type, as a key.
func kind[T any]() any { return (*T)(nil) }
