package controlplane

import "time"

// A Setting is one that an extension adds: see extension.Additions. Its functions to apply are called with the value
// whenever the settings change, the first time when the instance is assembled; they may run under the store's lock.
type Setting struct{ row setting }

// Switch returns a setting that is on or off. path is its path below spec: a section and a name.
func Switch(path string, initial bool, apply func(on bool)) Setting {
	return added(path, initial, func(in section, name string, into *bool) { in.bool(name, into) },
		func(on bool) any { return on }, apply)
}

// Number returns a setting that is a whole number between least and most.
func Number(path string, least, most, initial int64, apply func(int64)) Setting {
	return added(path, initial, func(in section, name string, into *int64) { in.number(name, least, most, into) },
		func(n int64) any { return n }, apply)
}

// Seconds returns a setting that is a duration of whole seconds, at most a day.
func Seconds(path string, least int64, initial time.Duration, apply func(time.Duration)) Setting {
	return added(path, initial,
		func(in section, name string, into *time.Duration) { in.seconds(name, least, maxSeconds, into) },
		func(d time.Duration) any { return int64(d / time.Second) }, apply)
}

// Choice returns a setting that is one of some words, the first by default.
func Choice(path string, apply func(word string), words ...string) Setting {
	return added(path, words[0], func(in section, name string, into *string) { in.word(name, into, words...) },
		func(word string) any { return word }, apply)
}

// added returns the row of a setting of an extension, whose value is in Settings.added.
func added[T any](path string, initial T, parse func(in section, name string, into *T), show func(T) any,
	apply func(T)) Setting {
	return Setting{setting{
		path: path,
		initial: func(s *Settings) {
			if s.added == nil {
				s.added = map[string]any{}
			}
			s.added[path] = initial
		},
		parse: func(in section, name string, s *Settings) {
			value := s.added[path].(T)
			parse(in, name, &value)
			s.added[path] = value
		},
		show:  func(s *Settings) any { return show(s.added[path].(T)) },
		apply: func(_ *ControlPlane, s *Settings, _ int64) { apply(s.added[path].(T)) },
	}}
}
