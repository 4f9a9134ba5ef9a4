// Package remote has an expression.Evaluator that is somewhere else: in another WebAssembly instance, behind one
// function that takes bytes and returns bytes. A Client implements the interface by such a function, and a Server
// answers its calls by another evaluator.
//
// A call and its answer are JSON. What is compiled has the hash of its source for a name; a Server remembers what it
// compiled last, and says so when it does not know a name, upon which the Client calls again with the source. So either
// may be replaced at any time. What an expression asks of the authorizer is part of the answer, too: the Client calls
// again with the decisions.
//
// Invariants:
//   - A result is that of the evaluator: whole numbers and floats stay apart, also 2 and 2.0.
//   - If the function returns an error, rules of schemas are checked and warned of as expression.None does, and units
//     are ErrUnavailable. Later calls call it again.
//
// Costs: an object is written and read once for each program that is evaluated on it; what is compiled is sent once, as
// long as the Server remembers it.
package remote
