// Package jsonpath implements JSONPath in the dialect of Kubernetes (kubectl).
//
// vmrules.Path says which steps a path has, and what Parse refuses because readers of JSONPath
// understand it differently. The error says what to write instead.
//
// [Parse] reads a [Path]. A [Search] visits what the path selects in a value, each
// [Location] once and in document order: items by index, members by name. A null counts as
// missing. Steps that name a field also see the fields of an [Implied] tree, which the value
// need not contain: fields with a default, and fields that others may set, which cause a
// doubt. The tree comes from the caller: package vmfields makes that of a VM. A search pays
// for each value at which it looks.
//
// The steps of a Path are a jp.Expr of package ojg, with our [Filter] as one more fragment.
// Reading and selecting are our own. The parser of ojg refuses what kubectl reads, such as
// a "-" or an escaped dot in a name. Its selection depends on the Go types that a decoder
// chose: a filter matches no json.Number, and a wildcard no member of a map[string]string.
// It also returns locations out of document order.
package jsonpath
