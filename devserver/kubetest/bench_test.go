package kubetest

import (
	"fmt"
	"runtime"
	"testing"
)

// BenchmarkNew starts a server, has it answer, and ends it.
func BenchmarkNew(b *testing.B) {
	for _, c := range []struct {
		name    string
		options []Option
	}{{"plain", nil}, {"rbac", []Option{RBAC()}}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f := &fake{}
				want(b, New(f, c.options...).Client, 200, "GET", configMaps, "")
				f.end()
			}
		})
	}
}

// BenchmarkServers starts 200 servers in one process, each with its first answer, and measures the memory that they
// keep. What they share is not counted: it is there after the first one.
func BenchmarkServers(b *testing.B) {
	const servers = 200
	for _, c := range []struct {
		name    string
		options []Option
	}{{"plain", nil}, {"rbac", []Option{RBAC()}}} {
		b.Run(c.name, func(b *testing.B) {
			first := &fake{}
			want(b, New(first, c.options...).Client, 200, "GET", configMaps, "")
			defer first.end()
			var kept uint64
			for b.Loop() {
				b.StopTimer()
				f, before := &fake{}, heap()
				b.StartTimer()
				for range servers {
					want(b, New(f, c.options...).Client, 200, "GET", configMaps, "")
				}
				b.StopTimer()
				kept += heap() - before
				f.end()
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*servers), "ns/server")
			b.ReportMetric(float64(kept)/float64(b.N*servers), "B/server")
		})
	}
}

// BenchmarkFork makes a copy of a server with objects, has it answer, and ends it.
func BenchmarkFork(b *testing.B) {
	for _, objects := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(objects), func(b *testing.B) {
			prepared := &fake{}
			defer prepared.end()
			s := New(prepared)
			for n := range objects {
				want(b, s.Client, 201, "POST", configMaps, configMap(fmt.Sprint("c", n)))
			}
			s.ForgetRequests()
			b.ReportAllocs()
			for b.Loop() {
				f := &fake{}
				want(b, s.Fork(f).Client, 200, "GET", configMaps+"/c1", "")
				f.end()
			}
		})
	}
}

// heap returns how many bytes live objects have.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
