// Package openapi makes OpenAPI documents from the tables of core/schema: v3 documents, one for
// each group version, and one v2 document of all types, in JSON and in protobuf.
//
// They have what clients depend on: operations with their group-version-kinds and parameters
// (kubectl looks for fieldValidation there before it leaves validation to the server), and types
// with their patch keys and list types. Descriptions are not in the tables, so documents have none
// until Describe adds them.
//
// Invariants: every reference in a document leads to a type of the same document. A document
// depends only on the rows that it is made from, so its hash serves as an ETag.
//
// A document costs the size of its types each time it is made; callers cache it.
package openapi
