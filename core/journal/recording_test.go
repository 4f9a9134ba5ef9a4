package journal

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

func version(rev, created int64, key, value string) []byte {
	return AppendRecord(nil, &mvcc.Record{
		Revision: rev, Created: created, Bucket: "pods", Key: key, Value: []byte(value), Time: time.Unix(0, rev),
	})
}

// TestRecordings reads recordings that end in every way: the lines that they have, and why they are refused.
func TestRecordings(t *testing.T) {
	header := AppendHeader(nil, []byte("recording"))
	mark := func(head, compacted int64) []byte { return AppendPosition(nil, head, compacted) }
	tests := map[string]struct {
		frames  [][]byte
		want    []string // after the header
		problem string
		whole   bool
	}{
		"in any order, with gaps": {
			frames: [][]byte{version(7, 7, "n/a", "7"), version(4, 0, "n/b", "4"), mark(7, 7), version(30, 7, "n/a", "30"),
				version(12, 12, "n/c", "12"), AppendProgress(nil, "pods", 40), mark(33, 7)},
			want: []string{"7/7 pods/n/a deleted=false 7 @7", "4/0 pods/n/b deleted=false 4 @4",
				"30/7 pods/n/a deleted=false 30 @30", "12/12 pods/n/c deleted=false 12 @12", "pods to 40", "position 33 7"},
			whole: true,
		},
		"notes, and a key that is gone": {
			frames: [][]byte{mark(1, 1), version(4, 4, "n/a", "4"), AppendNote(nil, []byte(`{"text":"x"}`)),
				AppendGone(nil, "pods", "n/a", 9, time.Unix(0, 8)), mark(9, 1)},
			want: []string{"4/4 pods/n/a deleted=false 4 @4", `note {"text":"x"}`, "9/0 pods/n/a deleted=true  @8",
				"position 9 1"},
			whole: true,
		},
		"cut off in the middle of a frame": {
			frames: [][]byte{mark(3, 3), version(4, 4, "n/a", "4"), version(5, 4, "n/a", "5")[:20]},
			want:   []string{"4/4 pods/n/a deleted=false 4 @4", "position 4 3"}, whole: true, problem: "cut off",
		},
		"damaged before its end": {
			frames: [][]byte{mark(3, 3), version(4, 4, "n/a", "4")[1:], version(5, 4, "n/a", "5")}, problem: "damaged",
		},
		"no position": {frames: [][]byte{version(4, 4, "n/a", "4")}, want: []string{"4/4 pods/n/a deleted=false 4 @4"}},
		"continued as a log": {
			frames: [][]byte{version(4, 4, "n/a", "4"), appendSnapshotEnd(nil, 4, 2, 1), version(5, 4, "n/a", "5")},
			want:   []string{"4/4 pods/n/a deleted=false 4 @4", "position 4 2", "5/4 pods/n/a deleted=false 5 @5"}, whole: true,
		},
		"a gap in what continues it": {
			frames: [][]byte{version(4, 4, "n/a", "4"), appendSnapshotEnd(nil, 4, 2, 1), version(6, 4, "n/a", "5")},
			want:   []string{"4/4 pods/n/a deleted=false 4 @4", "position 4 2"}, problem: "revision 6 follows 4", whole: true,
		},
		"a version is missing": {
			frames:  [][]byte{version(4, 4, "n/a", "4"), appendSnapshotEnd(nil, 5, 2, 2)},
			want:    []string{"4/4 pods/n/a deleted=false 4 @4"},
			problem: "1 versions of 2",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			lines, found := read(t, append(slices.Clone(header), slices.Concat(test.frames...)...))
			if got := lines[1:]; !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if found.Complete != test.whole || (found.Problem == nil) != (test.problem == "") ||
				found.Problem != nil && !strings.Contains(found.Problem.Error(), test.problem) {
				t.Errorf("%+v", found)
			}
		})
	}
}

// TestLogsAreNoRecordings checks that nothing else has what only the first part of a recording may have.
func TestLogsAreNoRecordings(t *testing.T) {
	for name, frame := range map[string][]byte{
		"a note": AppendNote(nil, []byte("{}")), "progress": AppendProgress(nil, "pods", 4),
		"a key that is gone": AppendGone(nil, "pods", "n/a", 4, time.Time{}),
	} {
		for what, log := range map[string][]byte{
			"another log":                append(AppendHeader(nil, []byte("me")), frame...),
			"what continues a recording": append(appendSnapshotEnd(AppendHeader(nil, []byte("recording")), 4, 2, 0), frame...),
		} {
			var lines []string
			found, err := Read(bytes.NewReader(log), lister(&lines))
			if err != nil || !errors.Is(found.Problem, ErrOtherRelease) {
				t.Errorf("%s in %s: %q, %v, %v", name, what, lines, found.Problem, err)
			}
		}
	}
}
