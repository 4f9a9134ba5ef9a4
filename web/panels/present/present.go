// Package present is the presenter's lower edge: the sentence that says what happens on the stage, the line for
// commands, the keys, and where the scene is that plays. While a scene plays in the lab it is there too.
//
// The sentence comes from the stage (app.Narrated), from the scene (app.SceneAt), or is the answer to a command. A
// command is read by Parse and completed by Complete, which know the cluster only by a Context.
//
// Invariant: whatever a command does is a request, or what the page can do to its own connections.
package present

//go:generate go tool templ generate -path .
