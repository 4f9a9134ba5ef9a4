package hostile

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
)

// intrudes is for a stranger: it has no token, guesses, and sends what is no request.
func (a *attack) intrudes(p *person, room *person) {
	p.at, p.token = room.at, "guess"
	p.rude = true // what it sends has not been read when the answer comes
	body := configMap("guess", 3<<20)
	a.goes("stranger", func(spent func()) {
		a.again(0, func(n int) {
			a.does(p, "stranger: guess", "GET", configMaps, nil)
			if n%50 == 0 {
				a.does(p, "stranger: body", "POST", configMaps, body)
			}
			if n == 50 {
				spent()
			}
		})
	})
	a.goes("stranger", func(spent func()) {
		address := strings.TrimPrefix(p.url, "http://")
		for range 50 { // requests that do not end
			conn, err := p.dialer.DialContext(a.ctx, "tcp", address)
			if err != nil {
				return
			}
			p.Cleanup(func() { conn.Close() })
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 9\r\n\r\n{", theRoom, address)
		}
	})
}

// opens has strangers, each from its own address, open rooms as long as they may. Somebody on this machine still
// may then. The engine of the rooms at the edge counts none on this machine.
func (a *attack) opens(h *host) {
	const addresses = 6
	if h.edge {
		return
	}
	a.goes("open", func(spent func()) {
		start, all := time.Now(), 0
		for n := range addresses {
			p := h.person(byte(40 + n))
			p.at, p.asks = p.url, hostName
			for own := 0; a.ctx.Err() == nil; all++ {
				got := a.does(p, "stranger: open", "POST", "/rooms", nil)
				if got.code != http.StatusCreated {
					if got.code != http.StatusTooManyRequests || got.again == 0 {
						a.fault("stranger: open", got)
					}
					break
				}
				own++
				// One more each minute, for all of them together.
				passed := int(time.Since(start) / time.Minute)
				if own > opensAtOnce+passed || all+1 > allOpensAtOnce+passed {
					a.fault("stranger: too many rooms", got)
					return
				}
			}
		}
		if all < opensAtOnce {
			a.fault("stranger: no rooms", answer{text: fmt.Appendf(nil, "%d rooms could be opened", all)})
		}
		here := h.person(60)
		here.at = here.url
		if got := a.does(here, "open, on this machine", "POST", "/rooms", nil); got.code != http.StatusCreated {
			a.fault("open, on this machine", got)
		}
		spent()
	})
}

// What a server allows: see devserver/internal/room.
const (
	opensAtOnce    = roomhost.Opens
	allOpensAtOnce = 20
)
