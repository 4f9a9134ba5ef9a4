package core

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

// TestKept opens what earlier releases have saved: each file is one of a format, and stays here. A release that adds to
// the format adds a file.
func TestKept(t *testing.T) {
	for _, name := range []string{"testdata/before-heads.log", "testdata/kept/2026-11.tabernetes"} {
		t.Run(name, func(t *testing.T) {
			log, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			saved, _ := newCluster(t, Options{Storage: kept(log, nil)})
			if r := saved.Recovery(); !r.Restored || r.Problem != "" {
				t.Errorf("recovery %+v", r)
			}
			opened, _ := newCluster(t, Options{})
			must(t, opened, 201, "PUT", plane+"/snapshot", string(log))
			for _, c := range []*Cluster{saved, opened} {
				if got := must(t, c, 200, "GET", configMaps+"/c2", ""); at(got, "data.again") != "yes" {
					t.Errorf("c2 is %v", got)
				}
				must(t, c, 404, "GET", configMaps+"/c1", "")
				must(t, c, 200, "GET", "/apis/example.com/v1/namespaces/default/widgets/w", "")
			}
		})
	}
}

// frame is a sound frame of a log.
func frame(payload string) []byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum([]byte(payload), table))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, table))
	return append(head, payload...)
}

// TestNewerRelease wants a log to be refused, and left as it is, that has something in it which this release does not
// know.
func TestNewerRelease(t *testing.T) {
	log, head, before, _ := written(t, "mine")
	at := before[2]
	// An object of a type that is not served, at the revision after the last one.
	last := journalRevision(t, log)
	object := binary.AppendUvarint([]byte{'V'}, uint64(last+1))
	object = binary.AppendUvarint(object, uint64(last+1))
	object = binary.AppendVarint(object, 0)
	for _, text := range []string{"apps/moonbases", "default/one"} {
		object = append(binary.AppendUvarint(object, uint64(len(text))), text...)
	}
	object = append(object, "{}"...)
	for name, c := range map[string]struct {
		log  []byte
		says string
	}{
		"a kind of record at the end": {append(bytes.Clone(log), frame("~something new")...), "records of the kind '~'"},
		"a kind of record in the middle": {
			append(append(bytes.Clone(log[:at]), frame("~")...), log[at:]...), "records of the kind '~'"},
		"a type": {append(bytes.Clone(log), frame(string(object))...), `objects of the type "apps/moonbases"`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, do := range []OnDamage{RefuseDamaged, SalvageDamaged} {
				storage := kept(c.log, head)
				_, err := New(Options{Clock: clock.Real(), Rand: strings.NewReader(strings.Repeat("random", 10_000)),
					Storage: storage, OnDamage: do})
				other := new(DamageError)
				if !errors.As(err, &other) || !other.Other() || other.Sound() != "" || !strings.Contains(other.Reason, c.says) {
					t.Errorf("%v", err)
				}
				if !bytes.Equal(storage.Bytes(), c.log) {
					t.Error("what is saved was changed")
				}
			}
			storage := &copying{Memory: kept(c.log, head)}
			fresh, _ := newCluster(t, Options{Storage: storage, OnDamage: ReplaceDamaged})
			r := fresh.Recovery()
			if r.Restored || r.SetAside == "" || !strings.Contains(r.Problem, c.says) {
				t.Errorf("recovery %+v", r)
			}
			if !bytes.Equal(storage.copied, c.log) {
				t.Errorf("%d bytes were kept, of %d", len(storage.copied), len(c.log))
			}

			busy, _ := newCluster(t, Options{})
			must(t, busy, 201, "POST", configMaps, configMap("mine", "1"))
			code, text := call(t, busy, "PUT", plane+"/snapshot", string(c.log))
			if code != 400 || !strings.Contains(text, "another release of Tabernetes") {
				t.Errorf("as a snapshot: %d %s", code, text)
			}
			must(t, busy, 200, "GET", configMaps+"/mine", "")
		})
	}
}

// copying is a storage that shows what was set aside.
type copying struct {
	*journal.Memory
	copied []byte
}

func (s *copying) SetAside() (string, error) {
	s.copied = s.Bytes()
	return s.Memory.SetAside()
}

// journalRevision returns the last revision of a log.
func journalRevision(t *testing.T, log []byte) int64 {
	t.Helper()
	found, _, err := Check(Options{Clock: clock.Real(), Rand: strings.NewReader(strings.Repeat("random", 10_000)),
		Storage: kept(log, nil)})
	if err != nil {
		t.Fatal(err)
	}
	return found.Revision
}
