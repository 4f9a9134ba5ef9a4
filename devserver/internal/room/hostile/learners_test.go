package hostile

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// configMap is an object with so many bytes of data.
func configMap(name string, size int) []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":%q},"data":{"v":%q}}`, name, strings.Repeat("x", size))
}

// fills creates objects of 1 MB until it is refused, then smaller ones until nothing is left.
func (a *attack) fills(p *person) {
	const largest, least = 1 << 20, 1 << 10
	a.goes("fill", func(spent func()) {
		size := largest - 1<<10
		a.again(20*time.Millisecond, func(n int) {
			got := a.does(p, "fill", "POST", configMaps, configMap(fmt.Sprintf("%s-%d", p.name, n), size))
			switch {
			case got.code == http.StatusCreated, got.code == http.StatusTooManyRequests:
			case size > least:
				size /= 2
			default:
				spent()
			}
		})
	})
}

// floods leaves objects behind, and then makes requests as fast as they are answered, if it continues.
func (a *attack) floods(p *person, goesOn bool) {
	const objects = 40
	a.goes("flood", func(spent func()) {
		for n := 0; n < objects && a.ctx.Err() == nil; n++ {
			a.does(p, "flood: create", "POST", configMaps, configMap(fmt.Sprintf("%s-flood-%d", p.name, n), 100))
		}
		if !goesOn {
			return
		}
		for range 3 {
			a.wg.Go(func() {
				a.again(0, func(n int) {
					if n == 100 {
						spent()
					}
					a.does(p, "flood: list", "GET", configMaps, nil)
				})
			})
		}
		a.again(0, func(n int) {
			a.does(p, "flood: update", "PUT", fmt.Sprintf("%s/%s-flood-%d", configMaps, p.name, n%objects),
				configMap(fmt.Sprintf("%s-flood-%d", p.name, n%objects), n%2000))
		})
	})
}

// joins makes as many members as one link and one address allow; each is handed to hold.
func (a *attack) joins(stranger func() *person, room *person, invitation link, members int, hold func(*person)) {
	a.goes("join", func(spent func()) {
		var all sync.WaitGroup
		for i := range members {
			all.Go(func() {
				p := stranger()
				p.at, p.token = room.at, invitation.token
				got := a.does(p, "join", "POST", theRoom+"/join", fmt.Appendf(nil, `{"displayName":"Joiner %d"}`, i))
				if p.joined(got); got.code == http.StatusCreated {
					hold(p)
				}
			})
		}
		all.Wait()
		spent()
		p := stranger()
		p.at, p.token = room.at, invitation.token
		a.again(100*time.Millisecond, func(n int) {
			a.does(p, "join, later", "POST", theRoom+"/join", fmt.Appendf(nil, `{"displayName":"Later %d"}`, n))
		})
	})
}

// holds opens as many watches as it can, and reads none of them.
func (a *attack) holds(p *person) {
	a.goes("hold", func(spent func()) {
		for refused := 0; refused < 3 && a.ctx.Err() == nil; {
			code, err := p.watches(a.ctx)
			if a.ctx.Err() != nil {
				return
			}
			if code != http.StatusOK {
				refused++
			}
			got := answer{code: code}
			if err != nil {
				got.text = []byte(err.Error())
			}
			a.saw("hold", got)
		}
	})
}
