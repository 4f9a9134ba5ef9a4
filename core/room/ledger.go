package room

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/room/internal/live"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// A ledger counts what each user of a room has stored, and refuses what is beyond a quota.
//
// Who creates an object pays for it. Who makes an object larger pays for all of it from then on; a write
// that makes it no larger changes nothing about that, and is never refused because of a share. So nobody
// can fill the share of another. What the server writes on its own nobody pays for. Nor does a deletion change who
// pays, though its steps add a few fields to an object: who removes what others made is not charged for it.
//
// Objects that govern the room have a part of the host's memory to themselves, the reserve, and no other
// quota: however full the room is, a teacher can freeze it, invite, and remove members. A learner who joins
// or renames itself can use a part of the reserve.
//
// It is the guard of the store, which calls it under its lock, so quotas are exact: what writes at the same
// time would take together is refused in their order. A write costs it a few comparisons and two lookups.
type ledger struct {
	room *Room
	rows func(bucket string) *schema.Resource

	mu sync.Mutex
	// accounts are by payer; governing is what the objects have that govern the room.
	accounts  map[string]*account
	governing account
	people    people
}

var _ mvcc.Guard = (*ledger)(nil)

// An account is the number of objects and their size as JSON.
type account struct{ objects, bytes int64 }

func (a *account) add(v *mvcc.Version, sign int) {
	a.objects += int64(sign)
	a.bytes += int64(sign * len(v.Value))
}

func (a account) amount() live.Amount { return live.Amount{Objects: a.objects, Bytes: a.bytes} }

// with returns what two accounts have together.
func (a account) with(b account) account { return account{a.objects + b.objects, a.bytes + b.bytes} }

// memory returns what the objects take of the host's quota.
func (a account) memory() int64 { return a.bytes + a.objects*mvcc.VersionCost }

// The reserve is an eighth of the host's quota, and bounded. Of it those who are no teachers may use
// membersReserve fourths: for each that joins, two objects of some 500 bytes are stored.
const (
	reservePart, mostReserve = 8, 8 << 20
	membersReserve           = 3
)

// mostOfStep is how much larger a step of a deletion makes an object at most, in bytes: it adds a time, the finalizer
// of a propagation policy, the condition of an eviction. What adds more is judged as any other write.
const mostOfStep = 1 << 10

// Reserve returns the part of a host's quota for what governs a room, in bytes.
func Reserve(quota int64) int64 { return min(quota/reservePart, mostReserve) }

// fit returns the quotas as far as the host's memory for a room allows them: half of it, without the reserve,
// for the bytes and a quarter for what objects cost besides, so that some is left for history. A member may have
// an eighth of the bytes.
func (q quotas) fit(host int64) quotas {
	if host > 0 {
		free := host - Reserve(host)
		q.Bytes, q.Objects = min(q.Bytes, free/2), min(q.Objects, free/4/mvcc.VersionCost)
		q.BytesPerMember = min(q.BytesPerMember, free/16)
	}
	return q
}

// governs has the buckets of what governs a room.
var governs = map[string]bool{
	Rooms.Bucket(): true, Members.Bucket(): true, RoomTokens.Bucket(): true,
	group + "/" + version + "/controlplanes": true,
}

// writerOf returns the name of the user who makes a write; "": the server itself.
func writerOf(a *mvcc.Author) string {
	if a == nil || a.User == auth.Server {
		return ""
	}
	return a.User
}

// payerOf returns whose account a user's objects are in: members have their own, all others one together.
func payerOf(user string) string {
	if user == "" || strings.HasPrefix(user, memberPrefix) {
		return user
	}
	return othersKey
}

// growth returns by how many bytes a write makes an object larger, apart from the digits of its revision.
func growth(w *mvcc.Write) int64 {
	digits := func(rev int64) int { return len(strconv.FormatInt(rev, 10)) }
	if w.Current == nil {
		return int64(len(w.Value))
	}
	return int64(len(w.Value) - digits(w.Revision) - len(w.Current.Value) + digits(w.Current.Revision))
}

// Own returns who has created an object and who pays for it.
func (l *ledger) Own(w *mvcc.Write) *mvcc.Owners {
	var had *mvcc.Owners
	if w.Current != nil {
		had = w.Current.Owners
	}
	user := writerOf(w.Author)
	switch {
	case governs[w.Bucket]:
		return nil
	case user == "" || w.Deletes || w.Frees:
		return had
	case w.Current == nil:
		return &mvcc.Owners{Creator: user, Payer: payerOf(user)}
	}
	var now mvcc.Owners
	if had != nil {
		now = *had
	}
	if growth(w) > 0 {
		now.Payer = payerOf(user)
	}
	if had != nil && now == *had {
		return had
	}
	return &now
}

// Judge refuses a write that is beyond a quota, or that leaves the room without a teacher.
func (l *ledger) Judge(w *mvcc.Write, o *mvcc.Owners) (reserved bool, err error) {
	user := writerOf(w.Author)
	if governs[w.Bucket] {
		return true, l.judgeGoverning(w, user)
	}
	if user == "" {
		return false, nil
	}
	more := growth(w)
	if w.Deletes || more <= 0 || w.Frees && more <= mostOfStep {
		return false, nil
	}
	q, teacher := l.room.shares.present().fit(w.Quota), l.room.teaches(user)
	share := q.share(teacher)
	l.mu.Lock()
	had := l.account(payerOf(user))
	l.mu.Unlock()
	now := account{had.objects, had.bytes + more}
	if w.Current == nil || w.Current.Owners == nil || w.Current.Owners.Payer != o.Payer {
		now = account{had.objects + 1, had.bytes + int64(len(w.Value))}
	}
	why := share.refuses(had, now)
	if why == "" {
		why = q.refuses(w, now, share, more)
	}
	if why == "" && !teacher {
		why = l.crowded(w, q, user, more)
	}
	if why == "" {
		return false, nil
	}
	return false, l.refused(w, "exceeded quota of the room: "+why+
		": delete objects, or let a teacher allow more in rooms/default")
}

// share returns what a member may store.
func (q quotas) share(teacher bool) account {
	if teacher {
		return account{q.ObjectsPerMember * teachersShare, q.BytesPerMember * teachersShare}
	}
	return account{q.ObjectsPerMember, q.BytesPerMember}
}

// refuses says why a member may not have what it would have now; "": it may.
func (share account) refuses(had, now account) string {
	switch {
	case now.objects > had.objects && now.objects > share.objects:
		return fmt.Sprintf("you have %d objects, and your share (spec.quotas.objectsPerMember) is %d", had.objects,
			share.objects)
	case now.bytes > share.bytes:
		return fmt.Sprintf("your objects have %d bytes, this would be %d more, and your share "+
			"(spec.quotas.bytesPerMember) is %d", had.bytes, now.bytes-had.bytes, share.bytes)
	}
	return ""
}

// The last quarter of a room is for those who have taken little, an eighth of a share: when some fill the
// room together, others can still work.
const (
	lastPart   = 4
	littlePart = 8
)

// refuses says why the room does not take a write, after which its payer has now; "": it does.
func (q quotas) refuses(w *mvcc.Write, now, share account, more int64) string {
	objects, bytes := q.Objects, q.Bytes
	last := ""
	if now.objects > share.objects/littlePart || now.bytes > share.bytes/littlePart {
		objects, bytes = objects-objects/lastPart, bytes-bytes/lastPart
		last = " (the rest is for members who have taken little)"
	}
	switch {
	case w.Current == nil && int64(w.Keys) >= objects:
		return fmt.Sprintf("the room has %d objects, and spec.quotas.objects allows %d%s", w.Keys, objects, last)
	case w.Bytes+more > bytes:
		return fmt.Sprintf("the objects of the room have %d bytes, this would be %d more, and spec.quotas.bytes allows %d%s",
			w.Bytes, more, bytes, last)
	}
	return ""
}

// crowded says why a room that is more than half full does not take a write, because members who joined from one
// network, who may be one person, have their part of it: see nearby. "": it does.
func (l *ledger) crowded(w *mvcc.Write, q quotas, user string, more int64) string {
	if w.Bytes+more <= q.Bytes/2 && int64(w.Keys) < q.Objects/2 || !strings.HasPrefix(user, memberPrefix) {
		return ""
	}
	for _, near := range l.room.nearby(user, l.taken()) {
		objects, bytes := int64(float64(q.Objects)*near.part), int64(float64(q.Bytes)*near.part)
		switch {
		case w.Current == nil && near.objects >= objects:
			return fmt.Sprintf("those who joined from your network have %d objects, and their part of the room is %d",
				near.objects, objects)
		case near.bytes+more > bytes:
			return fmt.Sprintf("the objects of those who joined from your network have %d bytes, this would be %d more, and "+
				"their part of the room is %d", near.bytes, more, bytes)
		}
	}
	return ""
}

// judgeGoverning decides about a write of what governs the room. No quota applies to the server, but its controllers
// leave the room a teacher: an ownerReference would otherwise let the garbage collector take the last one away.
// Without an author are only the writes of the host, when it puts one cluster in another's place.
func (l *ledger) judgeGoverning(w *mvcc.Write, user string) error {
	teacher := l.room.teaches(user)
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.Bucket == Members.Bucket() && w.Author != nil {
		if err := l.people.judge(w, user != ""); err != nil {
			return err
		}
	}
	if user == "" || w.Deletes || w.Quota == 0 || growth(w) <= 0 || teacher {
		return nil
	}
	most := Reserve(w.Quota) / 4 * membersReserve
	if l.governing.memory()+growth(w)+mvcc.VersionCost > most {
		return l.refused(w, fmt.Sprintf("exceeded quota of the room: its members and tokens take %d of the %d bytes that "+
			"this host has for them: a teacher can remove some", l.governing.memory(), most))
	}
	return nil
}

// refused returns the 403 for a write.
func (l *ledger) refused(w *mvcc.Write, why string) error {
	row := l.rows(w.Bucket)
	return status.NewForbidden(status.GroupResource{Group: row.Group, Resource: row.Plural}, nameIn(w.Key), why)
}

// nameIn returns the name of the object of a key.
func nameIn(key string) string { return key[strings.IndexByte(key, '/')+1:] }

// account returns a payer's account. Callers hold the lock.
func (l *ledger) account(payer string) account {
	if a := l.accounts[payer]; a != nil {
		return *a
	}
	return account{}
}

// Count counts an event for those who pay.
func (l *ledger) Count(e *mvcc.Event, change int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Prev != nil {
		l.add(e.Bucket, e.Prev, -change)
	}
	if !e.Deleted {
		l.add(e.Bucket, e.Version, change)
	}
	if e.Bucket == Members.Bucket() {
		l.people.count(e, change)
	}
}

func (l *ledger) add(bucket string, v *mvcc.Version, sign int) {
	if governs[bucket] {
		l.governing.add(v, sign)
		return
	}
	if v.Owners == nil || v.Owners.Payer == "" {
		return
	}
	payer := v.Owners.Payer
	own := l.accounts[payer]
	if own == nil {
		own = &account{}
		l.accounts[payer] = own
	}
	if own.add(v, sign); *own == (account{}) {
		delete(l.accounts, payer)
	}
	l.room.meter.mark(payer)
}

// taken returns the accounts of all payers.
func (l *ledger) taken() map[string]account {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make(map[string]account, len(l.accounts))
	for payer, own := range l.accounts {
		all[payer] = *own
	}
	return all
}
