package timeline

import (
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	keptChains      = 6
	keptLaterWrites = 20_000
)

// A Page is one answer of a chunked list.
type Page struct {
	Req          int
	From, To     int64 // the items' places, counted from 1; 0 if the page is empty
	First, Last  string
	Rev          int64
	At           time.Time
	Inconsistent bool // from another moment than the pages before
}

// Ref names the page's request and revision in a data-ref attribute.
func (p Page) Ref() string {
	return "req-" + strconv.Itoa(p.Req) + " rev-" + strconv.FormatInt(p.Rev, 10)
}

// A Chain is one list that is read in pages.
type Chain struct {
	Num    int // p1, p2, …
	Target Target
	Limit  int64
	Origin string // who made the first request, as the tap says

	Pages    []Page
	Midway   bool  // the first request seen had a token already: earlier pages are unknown
	Snapshot int64 // the revision that the pages come from
	Taken    time.Time

	Token     string // for the next page; empty when the list is whole
	Inside    Token
	Opaque    bool // the token could not be read
	Remaining int64

	// Gone is the 410 answer to the token, Fresh the token it offered.
	Gone  string
	Fresh string

	Later Series // writes to the collection after the snapshot of the newest page
	Since Series // the same, after the snapshot of the first page
	Busy  bool   // a page is under way
}

// ID returns how the chain is called: p1.
func (c *Chain) ID() string { return "p" + strconv.Itoa(c.Num) }

// Done reports whether the list is whole.
func (c *Chain) Done() bool { return c.Token == "" && c.Gone == "" && len(c.Pages) > 0 }

// Inconsistent reports whether the pages come from different moments.
func (c *Chain) Inconsistent() bool {
	for _, p := range c.Pages {
		if p.Inconsistent {
			return true
		}
	}
	return false
}

// Items returns how many items the pages hold together.
func (c *Chain) Items() int64 {
	var n int64
	for _, p := range c.Pages {
		n = max(n, p.To)
	}
	return n
}

// Expired reports whether the token's revision is older than the oldest one at which a list is answered.
func (c *Chain) Expired(oldest int64) bool {
	return c.Gone != "" || c.Token != "" && !c.Opaque && !c.Inside.Inconsistent() && c.Inside.Rev < oldest
}

// NextURL returns the request for the next page; empty when there is none.
func (c *Chain) NextURL() string {
	if c.Token == "" || c.Gone != "" {
		return ""
	}
	return c.Target.With("limit", c.limit(), "continue", c.Token)
}

// FirstURL starts the list again.
func (c *Chain) FirstURL() string { return c.Target.With("limit", c.limit()) }

// FreshURL continues with the token that the 410 offered.
func (c *Chain) FreshURL() string {
	if c.Fresh == "" {
		return ""
	}
	return c.Target.With("limit", c.limit(), "continue", c.Fresh)
}

func (c *Chain) limit() string {
	if c.Limit <= 0 {
		return ""
	}
	return strconv.FormatInt(c.Limit, 10)
}

// place says where a page goes: into which chain, after how many of its pages.
type place struct {
	chain *Chain
	after int
}

// Chains has the lists that are read in pages, from the tap's events.
type Chains struct {
	List []*Chain // newest first

	pending map[int]*pendingPage
	tokens  map[string]place // every token given out by a chain that is kept
	numbers int
}

type pendingPage struct {
	target Target
	limit  int64
	token  string
	origin string
	status int
	body   []string // as it came: one piece, mostly, which is not copied
}

// tap takes an event. It returns the chain that the event changed, and whether
// it is a new one.
func (cs *Chains) tap(e tap.Event) (c *Chain, fresh bool) {
	if e.Type == tap.Request {
		return cs.ask(e), false
	}
	p := cs.pending[e.ID]
	if p == nil {
		return nil, false
	}
	switch e.Type {
	case tap.Head:
		p.status = e.Status
	case tap.Chunk:
		p.body = append(p.body, e.Text)
	case tap.Fail:
		delete(cs.pending, e.ID)
		return cs.idle(p), false
	case tap.End:
		delete(cs.pending, e.ID)
		return cs.answer(p, e)
	}
	return nil, false
}

func (cs *Chains) ask(e tap.Event) *Chain {
	if e.Method != "GET" && e.Method != "" {
		return nil
	}
	t, ok := ParseTarget(e.URL)
	if !ok || t.Watch || t.Name != "" {
		return nil
	}
	token := t.Query.Get("continue")
	limit, _ := strconv.ParseInt(t.Query.Get("limit"), 10, 64)
	if limit <= 0 && token == "" {
		return nil
	}
	if cs.pending == nil {
		cs.pending, cs.tokens = map[int]*pendingPage{}, map[string]place{}
	}
	cs.pending[e.ID] = &pendingPage{target: t, limit: limit, token: token, origin: e.Origin}
	if at, ok := cs.tokens[token]; ok {
		at.chain.Busy = true
		return at.chain
	}
	return nil
}

func (cs *Chains) idle(p *pendingPage) *Chain {
	at, ok := cs.tokens[p.token]
	if !ok {
		return nil
	}
	at.chain.Busy = false
	return at.chain
}

func (cs *Chains) answer(p *pendingPage, e tap.Event) (*Chain, bool) {
	a, err := ParseList(strings.Join(p.body, ""))
	at, known := cs.tokens[p.token]
	if known {
		at.chain.Busy = false
	}
	switch {
	case err != nil || p.token == "" && p.status != 200:
		return cs.idle(p), false
	case p.status == 410 && known:
		c := at.chain
		c.Gone, c.Fresh = a.Message, a.Continue
		if c.Fresh != "" {
			cs.tokens[c.Fresh] = place{c, at.after}
		}
		return c, false
	case p.status != 200:
		return cs.idle(p), false
	}
	fresh := !known || p.token == ""
	if fresh {
		at = place{cs.begin(p), 0}
	}
	c := at.chain
	page := Page{Req: e.ID, First: a.First, Last: a.Last, Rev: a.Rev, At: e.Time}
	c.Pages = c.Pages[:min(at.after, len(c.Pages))] // a token used again replaces what came after it
	base := c.Items()
	if a.Count > 0 {
		page.From, page.To = base+1, base+a.Count
	}
	if len(c.Pages) > 0 {
		last := c.Pages[len(c.Pages)-1]
		page.Inconsistent = last.Inconsistent || page.Rev != last.Rev
	}
	if len(c.Pages) == 0 || page.Rev != c.Snapshot {
		c.Snapshot, c.Taken = page.Rev, e.Time
		c.Later = NewSeries(keptLaterWrites)
		fresh = true // its later writes are to be found anew
	}
	if len(c.Pages) == 0 {
		c.Since = NewSeries(keptLaterWrites)
	}
	c.Pages = append(c.Pages, page)
	c.Gone, c.Fresh = "", ""
	if p.limit > 0 {
		c.Limit = p.limit
	}
	c.Token, c.Remaining = a.Continue, a.Remaining
	c.Inside, c.Opaque = Token{}, false
	if c.Token != "" {
		c.Inside, err = DecodeToken(c.Token)
		c.Opaque = err != nil
		cs.tokens[c.Token] = place{c, len(c.Pages)}
	}
	return c, fresh
}

func (cs *Chains) begin(p *pendingPage) *Chain {
	cs.numbers++
	t := p.target
	c := &Chain{Num: cs.numbers, Target: t, Limit: p.limit, Origin: p.origin, Midway: p.token != "", Remaining: -1}
	cs.List = append([]*Chain{c}, cs.List...)
	if len(cs.List) > keptChains {
		cs.drop(len(cs.List) - 1)
	}
	return c
}

func (cs *Chains) drop(i int) {
	gone := cs.List[i]
	cs.List = append(cs.List[:i], cs.List[i+1:]...)
	for t, at := range cs.tokens {
		if at.chain == gone {
			delete(cs.tokens, t)
		}
	}
}

// ByID finds a chain by its name.
func (cs *Chains) ByID(id string) *Chain {
	for _, c := range cs.List {
		if c.ID() == id {
			return c
		}
	}
	return nil
}

// Drop forgets the chains of which f reports true.
func (cs *Chains) Drop(f func(*Chain) bool) {
	for i := len(cs.List) - 1; i >= 0; i-- {
		if f(cs.List[i]) {
			cs.drop(i)
		}
	}
}

// said returns the announcement of the chain's newest answer, for screen readers.
func (c *Chain) said() (say, alert string) {
	if c.Gone != "" {
		return "", "List " + c.ID() + ": the continue token has expired, error 410"
	}
	if len(c.Pages) == 0 {
		return "", ""
	}
	p := c.Pages[len(c.Pages)-1]
	say = "List " + c.ID() + " of " + c.Target.Short() + ": items " + itoa(p.From) + " to " + itoa(p.To)
	switch {
	case c.Token == "":
		say += ", the list is whole"
	case c.Remaining >= 0:
		say += ", " + itoa(c.Remaining) + " remain"
	}
	return say, ""
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
