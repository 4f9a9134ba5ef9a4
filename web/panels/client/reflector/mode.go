package reflector

// A Mode says whether a client works as it should, or with which mistake.
type Mode byte

// The modes.
const (
	// Correct is how client-go's Reflector does it.
	Correct Mode = iota
	// SkipsMissed: when a watch has ended, it asks for the newest version and watches from there, so it misses what
	// happened in between.
	SkipsMissed
	// NewestObject: it watches from the highest resourceVersion among the objects in its cache, and never lists again.
	// Other resources have later versions, so in the end that one is too old, and every watch is refused.
	NewestObject
	// KeepsDeleted: when its version is too old, it watches from resourceVersion 0 instead of listing again. It gets
	// all objects that there are, but does not learn which ones are gone.
	KeepsDeleted
)

// A ModeInfo is a mode in words.
type ModeInfo struct {
	Mode Mode
	ID   string
	Name string // what it does
	Note string // what it leads to, in a sentence or two
}

// Modes are all modes.
var Modes = []ModeInfo{
	{Correct, "correct", "as client-go does it",
		"It lists, watches from the list's resourceVersion, resumes where it was, and lists again after a 410."},
	{SkipsMissed, "skips-missed", "watches from the newest version after each cut",
		"What happened between the end of one watch and the start of the next is never sent, so changes are lost."},
	{NewestObject, "newest-object", "watches from the version of its newest object",
		"Other resources have later versions, so once the API server is restarted, every watch from that one is a 410, " +
			"and the cache stays as it was."},
	{KeepsDeleted, "keeps-deleted", "watches from 0 after a 410 instead of listing again",
		"It gets every object that exists, but does not learn which ones were deleted in the meantime: " +
			"those stay in its cache forever."},
}

// ByID finds a mode by its ID. An unknown one is Correct.
func ByID(id string) Mode {
	for _, m := range Modes {
		if m.ID == id {
			return m.Mode
		}
	}
	return Correct
}
