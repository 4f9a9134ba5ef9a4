package rules

// libraries are the families of the functions that Kubernetes adds to CEL, and of times.
var libraries = []family{
	{"url", text, []string{`"https://example.com:80/a?b=c"`, `"/path"`, `"no url"`, `"http://[::1]/"`}, false, `
isURL(self)
url(self).getScheme() == 'https'
url(self).getHost() == 'example.com:80'
url(self).getHostname() == 'example.com'
url(self).getPort() == '80'
url(self).getEscapedPath() == '/path'
url(self).getQuery() == {'b': ['c']}
url(self) == url('/path')
isURL(self) && url(self).getHostname() == '::1'
isURL(1)
`},
	{"ip", text, []string{`"192.168.0.1"`, `"::1"`, `"10.0.0.300"`, `"fe80::1"`}, false, `
isIP(self)
ip(self).family() == 4
ip(self).isLoopback()
ip(self).isLinkLocalUnicast()
ip(self).isGlobalUnicast()
ip(self).isUnspecified()
ip(self).isLinkLocalMulticast()
ip.isCanonical(self)
ip(self) == ip('::1')
string(ip(self)) == '192.168.0.1'
isIP(self) && ip(self).family() == 6
cidr('192.168.0.0/24').containsIP(self)
cidr('192.168.0.0/24').containsIP(ip(self))
`},
	{"cidr", text, []string{`"10.0.0.0/8"`, `"10.1.0.0/16"`, `"::/0"`, `"10.0.0.0"`}, false, `
isCIDR(self)
cidr(self).prefixLength() == 8
cidr(self).ip().family() == 6
cidr(self).masked() == cidr(self)
cidr(self).containsCIDR('10.1.0.0/24')
cidr(self).containsCIDR(cidr('10.1.0.0/16'))
cidr(self).containsIP('10.200.0.1')
string(cidr(self)) == '10.0.0.0/8'
cidr(self).ip() == ip('10.0.0.0')
`},
	{"quantity", text, []string{`"1.5Gi"`, `"200m"`, `"3"`, `"many"`}, false, `
isQuantity(self)
quantity(self).isGreaterThan(quantity('1'))
quantity(self).isLessThan(quantity('1'))
quantity(self).compareTo(quantity('3')) == 0
quantity(self).isInteger()
quantity(self).asInteger() == 3
quantity(self).asApproximateFloat() > 0.1
quantity(self).sign() == 1
quantity(self).add(quantity('1')) == quantity('4')
quantity(self).add(2).asInteger() == 5
quantity(self).sub(quantity('200m')).sign() == 0
quantity(self).sub(1).sign() == 1
quantity(self) == quantity('3000m')
isQuantity(self) && quantity(self).isInteger()
`},
	{"semver", text, []string{`"1.2.3"`, `"v1.2"`, `"2.0.0-rc.1+b"`, `"x"`}, false, `
isSemver(self)
isSemver(self, true)
semver(self).major() == 1
semver(self).minor() == 2
semver(self).patch() == 3
semver(self, true).major() == 1
semver(self).isGreaterThan(semver('1.9.0'))
semver(self).isLessThan(semver('2.0.0'))
semver(self).compareTo(semver('1.2.3')) == 0
semver(self) == semver('1.2.3')
`},
	{"format", text, []string{`"abc"`, `"A_b"`, `"2026-01-01"`, `"a/b"`}, false, `
!format.dns1123Label().validate(self).hasValue()
!format.named('dns1123Subdomain').value().validate(self).hasValue()
format.named('nope').hasValue()
!format.dns1035Label().validate(self).hasValue()
!format.qualifiedName().validate(self).hasValue()
!format.labelValue().validate(self).hasValue()
!format.date().validate(self).hasValue()
!format.uri().validate(self).hasValue()
!format.uuid().validate(self).hasValue()
!format.byte().validate(self).hasValue()
!format.datetime().validate(self).hasValue()
!format.dns1123LabelPrefix().validate(self).hasValue()
format.dns1123Label().validate(self).orValue([]).size() == 0
`},
	{"time", text, []string{`"2026-11-27T10:00:00Z"`, `"1h30m"`, `"x"`}, false, `
timestamp(self).getFullYear() == 2026
timestamp(self).getHours('+02:00') == 12
timestamp(self).getDayOfWeek() == 5
timestamp(self) > timestamp('2020-01-01T00:00:00Z')
duration(self).getMinutes() == 90
duration(self) < duration('2h')
timestamp(self) + duration('1h') == timestamp('2026-11-27T11:00:00Z')
`},
}
