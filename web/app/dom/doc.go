// Package dom finds elements and listens to events for the lab, with the basic types of honnef.co/go/js/dom/v2: an
// Element is its BasicHTMLElement, an Event its BasicEvent, with all of their methods.
//
// What differs is how an element is found. That package returns every element as a value of the Go type for its tag,
// behind an interface; and since the templates' runtime calls methods by reflection, the linker then keeps every method
// of all those types: 2.4 MB of wasm, 115 kB in brotli, none of it called. Here an element is always an *Element,
// whatever its tag. So keep Elements and Events out of interface values, and do not call the promoted methods that find
// others (NextElementSibling, Target, …): they would bring all of that into the binary again.
package dom
