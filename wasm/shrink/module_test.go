package shrink

import "testing"

const (
	oneFunction = "\x0a\x04\x01\x02\x00\x0b"
	oneName     = "\x00\x0b\x04name\x01\x04\x01\x00\x01f"
)

func FuzzContents(f *testing.F) {
	f.Add([]byte(moduleHeader))
	f.Add([]byte(moduleHeader + oneFunction + oneName))
	f.Add([]byte(moduleHeader + "\x0a\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, module []byte) {
		functions, data, err := Contents(module)
		if err != nil {
			return
		}
		total := len(data)
		for _, f := range functions {
			total += len(f.Body)
		}
		if total > len(module) {
			t.Errorf("%d bytes of code and data in a module of %d", total, len(module))
		}
	})
}

func TestContents(t *testing.T) {
	functions, data, err := Contents([]byte(moduleHeader + oneFunction + oneName))
	if err != nil || len(data) != 0 || len(functions) != 1 ||
		string(functions[0].Body) != "\x00\x0b" || functions[0].Name != "f" {
		t.Errorf("got %+v, %q, %v", functions, data, err)
	}
	for _, bad := range []string{"", "\x7fELF", moduleHeader + "\x0a\x05\x01"} {
		if _, _, err := Contents([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
