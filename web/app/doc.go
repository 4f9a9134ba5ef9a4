// Package app is what the lab's panels run on: rendering, actions of the user, requests, and the Bus
// by which panels learn of each other.
//
// What a panel knows and draws is in portable packages: models fed by tap events, revision frames and
// answers, and templ components that render them. A panel itself is a folder below web/panels;
// web/lab has the table of them.
//
// A panel draws by the ids of elements (App.Draw), and receives what users do as Use and Press; what else the page
// does for it are functions of lab.js, which it calls by App.Page. So panels are portable, too: outside of a browser
// the Page of native.go notes what they ask of it, and tests use it. Only what cannot be said in these terms, such as
// what the stage reads of pointers, is in files that are built for js/wasm.
//
// Invariants:
//   - The lab has no private way into the cluster. Everything it shows comes from API requests, which
//     work the same against the tab's own cluster and the devserver's, and from the tap in the fetch
//     shim.
//   - What belongs to a cluster (requests, lanes, what can be undone, what was learnt of it) is put away while
//     requests go to another one, and comes back with it. State.Place names the cluster.
//   - The DOM is written at most once per animation frame and element, and only where it differs from
//     what is there (see lab.js): focus, selection and scroll positions survive.
//   - Handlers of events and actions run one after another and must not block; what waits for an
//     answer runs in a goroutine. There is no preemption on js/wasm, so state is consistent between
//     two blocking calls.
//
// Costs: a call between Go and JavaScript takes about a microsecond, so tap events and stream text
// are passed in batches, once per frame.
package app
