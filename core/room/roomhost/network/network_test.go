package network

import (
	"fmt"
	"testing"
)

func TestAround(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1":             "[192.0.2.1/32]",
		"::ffff:192.0.2.1":      "[192.0.2.1/32]",
		"2001:db8:1:2ff:3::4":   "[2001:db8:1:2ff::/64 2001:db8:1:200::/56 2001:db8:1::/48]",
		"fe80::1%eth0":          "[fe80::/64 fe80::/56 fe80::/48]",
		"":                      "[]",
		"192.0.2.1:80":          "[]",
		"a name that is not IP": "[]",
	} {
		all := Around(address)
		if got := fmt.Sprint(all); got != want {
			t.Errorf("%s is in %s, want %s", address, got, want)
		}
		if own := Of(address); len(all) > 0 && own != all[0] || len(all) == 0 && own.IsValid() {
			t.Errorf("the network of %s is %v", address, own)
		}
	}
}
