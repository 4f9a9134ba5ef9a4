package structural

import (
	"net"
	"strings"
	"testing"
)

// FuzzAddresses compares addresses as formats read them with package net, by which the real server reads them.
func FuzzAddresses(f *testing.F) {
	for _, s := range []string{
		"", "1.2.3.4", "01.2.3.4", "1.2.3.256", "1.2.3", "::1", "::ffff:1.2.3.4", "fe80::1%eth0", "1.2.3.4%a",
		"1.2.3.4/8", "1.2.3.4/008", "1.2.3.4/33", "1.2.3.4/+8", "1.2.3.4/", "::/128", "::/129", "::ffff:1.2.3.4/96",
		"fe80::1%a/64", "/8", "1.2.3.4/8/9", "1.2.3.4/65536", "1.2.3.4/0000000000000000000000000000008",
		"00:00:5e:00:53:01", "02:00:5e:10:00:00:00:01", "00-00-5E-00-53-01", "0000.5e00.5301", "0200.5e10.0000.0001",
		"00:00-5e:00:53:01", "00:00:5e:00:53", "00:00:5e:00:53:01:02", "0000.5e00.5301.", "0000.5e00", "0:0:5e:0:53:1",
		"00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01", "00:00:5e:00:53:0g", "00:00:5e:00:53:01\n",
		"0000.0000.fe80.0000.0000.0000.0200.5e10.0000.0001", "00:00:5e:00:53:01:", "00005e005301",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := isIP(s), net.ParseIP(s) != nil; got != want {
			t.Errorf("isIP(%q) = %v, package net says %v", s, got, want)
		}
		if _, _, err := net.ParseCIDR(s); isCIDR(s) != (err == nil) {
			t.Errorf("isCIDR(%q) = %v, package net says %v", s, isCIDR(s), err)
		}
		if _, err := net.ParseMAC(s); likeMAC.matches(s) != (err == nil) {
			t.Errorf("a MAC address %q: %v, package net says %v", s, likeMAC.matches(s), err)
		}
		// One that differs in a letter is of interest more often than one by chance.
		if upper := strings.ToUpper(s); isIP(upper) != (net.ParseIP(upper) != nil) {
			t.Errorf("isIP(%q) = %v", upper, isIP(upper))
		}
	})
}
