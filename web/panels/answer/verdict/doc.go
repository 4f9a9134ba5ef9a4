// Package verdict says in one sentence what an exchange with the API server came to, what follows from it, and what can
// be done next. It is a table of rows, the first of which that fits an exchange makes its verdict.
//
// Invariants:
//   - A sentence is made of facts: the status, the answer's object, the options that the server has used, and the
//     commits that the request has made. It says "created", "changed" or "removed" only with a commit that did it, or
//     where the server does not say what it has committed, and then without a revision.
//   - A request that is offered to be made next is one that the server answers, and reads only; one that would write is
//     only put into the console.
//   - Each row leads to a step of the course, or says why the course has no step for it.
//
// Costs: the answer's metadata is read once for a verdict, and the whole object of a change; of lists only if
// its caller has not read them. YAML is read as JSON, which costs a pass more; a body of it over 128 KiB is not read.
package verdict
