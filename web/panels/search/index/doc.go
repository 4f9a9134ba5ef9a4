// Package index finds what the page has to offer: lessons and their steps, rules of the API, keys and levers. By words
// of the API and by plain words the same is found: "Expired" and "too old".
//
// The index is made when the site is built (Build) and fetched when somebody searches for the first time (Parse).
//
// Costs: a search goes through all entries, 300 of them, and compares words: less than a millisecond natively, a few in
// the page.
package index
