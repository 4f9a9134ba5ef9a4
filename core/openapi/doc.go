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
// There may be thousands of custom resources, so a document is made in parts: V3 and V2 ask for them one at a time
// and encode each at once. A document takes its own length of memory while it is made, and a tree of one part. It
// costs the size of its types each time; callers cache it.
package openapi
