package shell

// A Completer returns what kubectl prints as completions of the last of some words, of a command without its name.
type Completer func(words []string) string
