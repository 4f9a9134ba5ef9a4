package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestLargePrettyList compares a list that is indented in pieces with the compact one.
func TestLargePrettyList(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for i := range 30 {
		must(t, c, 201, "POST", configMaps, configMap(fmt.Sprint("a-", i), strings.Repeat(`{"[:,`, 5_000*(i%3))))
	}
	_, compact := call(t, c, "GET", configMaps, "")
	var want bytes.Buffer
	if err := json.Indent(&want, []byte(strings.TrimSpace(compact)), "", "  "); err != nil {
		t.Fatal(err)
	}
	if want.Len() < 512<<10 {
		t.Fatalf("it has %d bytes: no large one", want.Len())
	}
	if code, got := call(t, c, "GET", configMaps+"?pretty=true", ""); code != 200 || got != want.String() {
		t.Errorf("%d, %d bytes, want %d", code, len(got), want.Len())
	}
}
