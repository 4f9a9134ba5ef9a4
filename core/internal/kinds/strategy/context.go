package strategy

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/internal/traces"
)

// A Context gives strategies access to the cluster, for one request.
type Context struct {
	// Now is the time of the cluster. Required.
	Now func() time.Time
	// NewUID makes a uid. Required.
	NewUID func() string
	// ClusterIPs and NodePorts allocate the addresses and ports of Services. If one is nil, nothing is
	// allocated, as in a dry run.
	ClusterIPs, NodePorts Allocator
	// Lookup returns the stored object of the core group, or nil. Required.
	Lookup func(resource, namespace, name string) map[string]any
	// RefusePrivileged refuses privileged containers.
	RefusePrivileged bool
	// Rights are those of the user, for kinds with an Authorize; nil for the server's own writes, which may do everything.
	Rights *Rights
	// Warnings are the texts of Warning headers, which are sent if the object is valid.
	Warnings []string
	// Anyway are those that are sent even if it is not.
	Anyway []string
	// Traces are what is noted of a request that is tried; nil for others.
	Traces *traces.Traces
	// Any is set if it is only asked whether there is a warning: the first one is enough.
	Any bool

	warned      map[string]bool
	length, cut int // of the warnings, in characters; cut as those of an answer with too many are
}

// Rights are what the user of a request may do besides.
type Rights struct {
	// Verb is that of the request.
	Verb string
	// Node is the name of the node on which the pod of a service account runs; empty if that is not known.
	Node string
	// Refusal returns why the user may not do something to a subresource of the resource; empty if that is
	// allowed. Without a namespace it is asked for all of them, without a name for all names.
	Refusal func(verb, subresource, namespace, name string) string
}

// Timestamp returns the time of the cluster in the format of objects.
func (c *Context) Timestamp() string { return c.Now().UTC().Format(time.RFC3339) }

// The limits of the warnings of one answer, in characters. When their total is longer, each is cut, and those that
// follow are left out.
const (
	MaxWarnings = 4 * 1024
	MaxWarning  = 256
)

// Warn adds a warning, unless it is there already or no answer would have it.
func (c *Context) Warn(text string) { c.warn(&c.Warnings, text) }

// WarnAnyway is Warn of what is sent even if the object is invalid.
func (c *Context) WarnAnyway(text string) { c.warn(&c.Anyway, text) }

func (c *Context) warn(texts *[]string, text string) {
	if c.Enough() || c.warned[text] {
		return
	}
	if c.warned == nil {
		c.warned = map[string]bool{}
	}
	c.warned[text] = true
	*texts = append(*texts, text)
	if strings.IndexFunc(text, unicode.IsControl) < 0 { // others cannot be in a header
		n := utf8.RuneCountInString(text)
		c.length, c.cut = c.length+n, c.cut+min(n, MaxWarning)
	}
}

// Enough reports whether an answer would have no further warnings: nothing needs to be looked for.
func (c *Context) Enough() bool {
	return c.length > MaxWarnings && c.cut >= MaxWarnings || c.Any && len(c.Warnings)+len(c.Anyway) > 0
}

// Unwarn forgets all warnings.
func (c *Context) Unwarn() { c.Warnings, c.Anyway, c.warned, c.length, c.cut = nil, nil, nil, 0, 0 }

// An Allocator allocates values, each at most once at a time.
type Allocator interface {
	// Take allocates the given value. It fails with a message if the value is out of range or in use.
	Take(value string) error
	// Next allocates a free value. It fails if none is free.
	Next() (string, error)
	// Free releases a value. A value that is not in use is ignored.
	Free(value string)
	// DryRun returns an allocator for one dry run, which allocates nothing from this one.
	DryRun() Allocator
}
