package objects

import (
	"math"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// suffixes are those of quantities.
var suffixes = map[string]float64{
	"n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60,
}

// thousandths reads a quantity, rounded up to thousandths as Quantity.MilliValue does; 0 for what is no quantity.
func thousandths(text string) int64 {
	n, err := strconv.ParseFloat(text, 64)
	if end := strings.TrimRight(text, "numkKMGTPEi"); err != nil && end != text {
		n, err = strconv.ParseFloat(end, 64)
		n *= suffixes[text[len(end):]]
	}
	if err != nil || !(n > 0) || n > 1e15 {
		return 0
	}
	return int64(math.Ceil(math.Round(n*1e9) / 1e6)) // what a float64 has lost is less than a nano
}

// cpu reads how much CPU a Pod asks for, as the scheduler counts it, or how much a node has for Pods, in thousandths;
// 0: it is neither, or the Pod has ended.
func cpu(c *scan.Cursor) (n int64, err error) {
	var ended bool
	var sum, first, sidecars, overhead, own int64 // own: of the Pod, instead of its containers
	quantity := func(c *scan.Cursor, to *int64) func(key string) error {
		return func(key string) error {
			if key != "cpu" {
				return c.Skip()
			}
			text, err := c.String()
			*to = thousandths(text)
			return err
		}
	}
	requests := func(to *int64) error {
		return c.Object(func(key string) error {
			if key != "requests" {
				return c.Skip()
			}
			return c.Object(quantity(c, to))
		})
	}
	containers := func(each func(asks int64, stays bool)) error {
		return c.Array(func() error {
			var asks int64
			var stays bool
			err := c.Object(func(key string) error {
				switch key {
				case "resources":
					return requests(&asks)
				case "restartPolicy":
					policy, err := c.String()
					stays = policy == "Always"
					return err
				}
				return c.Skip()
			})
			each(asks, stays)
			return err
		})
	}
	err = c.Object(func(key string) error {
		switch key {
		case "spec":
			return c.Object(func(key string) error {
				switch key {
				case "containers":
					return containers(func(asks int64, _ bool) { sum += asks })
				case "initContainers":
					// Sidecars run beside all that begin after them.
					return containers(func(asks int64, stays bool) {
						if stays {
							sidecars += asks
							asks = 0
						}
						first = max(first, sidecars+asks)
					})
				case "overhead":
					return c.Object(quantity(c, &overhead))
				case "resources":
					return requests(&own)
				}
				return c.Skip()
			})
		case "status":
			return c.Object(func(key string) error {
				switch key {
				case "phase":
					phase, err := c.String()
					ended = phase == "Succeeded" || phase == "Failed"
					return err
				case "allocatable":
					return c.Object(quantity(c, &n))
				}
				return c.Skip()
			})
		}
		return c.Skip()
	})
	if n > 0 || ended {
		return n, err
	}
	if n = max(sum+sidecars, first); own > 0 {
		n = own
	}
	return n + overhead, err
}
