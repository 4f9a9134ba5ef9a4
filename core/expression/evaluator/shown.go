package evaluator

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/tabernetes/tabernetes/core/expression"
)

// maxShown is how long the text of a value is at most, in characters.
const maxShown = 200

// maxSorted is how many keys are looked at to write the values of a recording: what has many is written in their order.
const maxSorted = 100_000

// text returns a value as CEL writes it, cut if it is long.
func (x *explainer) text(v ref.Val) string {
	p := printer{sorts: &x.sorts}
	p.value(v)
	if utf8.RuneCount(p.text) <= maxShown {
		return string(p.text)
	}
	return string([]rune(string(p.text))[:maxShown-1]) + "…"
}

// A printer writes values until there is enough.
type printer struct {
	text  []byte
	sorts *int // how many keys may be looked at, which a value costs that has many of them
}

// sorted reports whether so many keys may be looked at, and otherwise writes that there are some.
func (p *printer) sorted(n int) bool {
	if n > *p.sorts {
		p.add("{…}")
		return false
	}
	*p.sorts -= n
	return true
}

func (p *printer) enough() bool { return len(p.text) > maxShown*utf8.UTFMax }

func (p *printer) add(text string) { p.text = append(p.text, text...) }

func (p *printer) quoted(text string) {
	if len(text) > maxShown*utf8.UTFMax {
		text = text[:maxShown*utf8.UTFMax]
	}
	p.text = strconv.AppendQuote(p.text, text)
}

func (p *printer) value(v ref.Val) {
	switch v := v.(type) {
	case types.Bool, types.Int:
		p.add(fmt.Sprint(v))
	case types.Uint:
		p.add(fmt.Sprint(v) + "u")
	case types.Double:
		p.tree(float64(v))
	case types.String:
		p.quoted(string(v))
	case types.Bytes:
		p.add("b")
		p.quoted(string(v))
	case types.Null:
		p.add("null")
	case types.Duration:
		p.add("duration(" + strconv.Quote(v.Duration.String()) + ")")
	case types.Timestamp:
		p.add("timestamp(" + strconv.Quote(v.UTC().Format(time.RFC3339Nano)) + ")")
	case *types.Type:
		p.add(v.TypeName())
	case *types.Optional:
		if !v.HasValue() {
			p.add("optional.none()")
			return
		}
		p.add("optional.of(")
		p.value(v.GetValue())
		p.add(")")
	case *variables: // of which each would be evaluated
		p.add(v.Type().TypeName())
	case *part:
		p.add(v.t.TypeName())
		entries(p, slices.Sorted(maps.Keys(v.fields)), func(name string) { p.add(name) },
			func(name string) { p.value(v.fields[name]) })
	case *patch:
		p.add(patchName)
		fields := map[string]any{"op": v.op, "path": v.path}
		if v.from != "" {
			fields["from"] = v.from
		}
		names := slices.Sorted(maps.Keys(fields))
		if v.value != nil {
			names = append(names, "value")
		}
		entries(p, names, func(name string) { p.add(name) }, func(name string) {
			if text, ok := fields[name]; ok {
				p.tree(text)
				return
			}
			p.value(v.value)
		})
	case traits.Mapper:
		if n, _ := v.Size().(types.Int); p.sorted(int(n)) {
			p.mapper(v)
		}
	case traits.Lister:
		p.list(v.Size(), func(i int) { p.value(v.Get(types.Int(i))) })
	default:
		p.other(v)
	}
}

// mapper writes a map in the order of its keys.
func (p *printer) mapper(m traits.Mapper) {
	type key struct {
		v    ref.Val
		text string
	}
	var keys []key
	for it := m.Iterator(); it.HasNext() == types.True; {
		v := it.Next()
		k := printer{sorts: p.sorts}
		k.value(v)
		keys = append(keys, key{v, string(k.text)})
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Compare(a.text, b.text) })
	entries(p, keys, func(k key) { p.add(k.text) }, func(k key) {
		if v, ok := m.Find(k.v); ok {
			p.value(v)
		}
	})
}

// other writes a value of a type of this package.
func (p *printer) other(v ref.Val) {
	switch is := v.Value().(type) {
	case asking:
		p.add(v.Type().TypeName())
	case expression.Decision:
		p.add(v.Type().TypeName())
		p.tree(map[string]any{"allowed": is.Allowed, "reason": is.Reason})
	case *quantity:
		p.add("quantity(" + strconv.Quote(decimal(is.Rat)) + ")")
	case version:
		p.add("semver(" + strconv.Quote(is.text()) + ")")
	case format:
		p.add("format." + is.name)
	case fmt.Stringer:
		p.add(v.Type().TypeName() + "(")
		p.quoted(is.String())
		p.add(")")
	default:
		tree, err := treeOf(is)
		if err != nil {
			p.add(err.Error())
			return
		}
		p.tree(tree)
	}
}

// decimal returns a quantity as a number.
func decimal(n *big.Rat) string {
	text := n.FloatString(9)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// text returns the version as it is written.
func (v version) text() string {
	text := fmt.Sprintf("%d.%d.%d", v.numbers[0], v.numbers[1], v.numbers[2])
	if len(v.pre) > 0 {
		text += "-" + strings.Join(v.pre, ".")
	}
	return text
}

// tree writes a value of an object.
func (p *printer) tree(v any) {
	switch v := v.(type) {
	case map[string]any:
		if p.sorted(len(v)) {
			entries(p, slices.Sorted(maps.Keys(v)), p.quoted, func(name string) { p.tree(v[name]) })
		}
	case []any:
		p.list(types.Int(len(v)), func(i int) { p.tree(v[i]) })
	case string:
		p.quoted(v)
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			text += ".0"
		}
		p.add(text)
	case nil:
		p.add("null")
	default:
		p.add(fmt.Sprint(v))
	}
}

func (p *printer) list(size ref.Val, item func(int)) {
	n, _ := size.(types.Int)
	p.add("[")
	p.items(int(n), item)
	p.add("]")
}

// items writes so many items, as far as there is room.
func (p *printer) items(n int, item func(int)) {
	for i := range n {
		if p.enough() {
			break
		}
		if i > 0 {
			p.add(", ")
		}
		item(i)
	}
}

// entries writes what has names.
func entries[K any](p *printer, keys []K, key, value func(K)) {
	p.add("{")
	p.items(len(keys), func(i int) {
		key(keys[i])
		p.add(": ")
		value(keys[i])
	})
	p.add("}")
}
