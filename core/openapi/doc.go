// Package openapi describes the served resource types as OpenAPI v3 documents, one for each group
// version, made from the tables of core/schema; and all of them as one document of OpenAPI v2, in
// JSON and in protobuf.
//
// They have what clients decide by: operations with their group-version-kinds and parameters
// (kubectl looks for fieldValidation there before it leaves validation to the server), and types with
// their patch keys and list types. Descriptions are not in the tables, so documents have none until
// Describe adds them.
//
// Invariants: every reference in a document leads to a type of the same document. A document depends
// on the rows that it is made from and on nothing else, so its hash serves as an ETag.
//
// A document costs the size of its types each time it is made; callers keep it.
package openapi
