// Package jsonpath implements JSONPath in the dialect of Kubernetes (kubectl).
//
// A path consists of these steps:
//
//   - .name; the leading dot of the path is optional. In a name, a backslash must precede
//     any character except letters, digits, "_", "-" and "/": "\." is a dot.
//   - ['name'], [0], [-1], [0:2], [0:4:2], [0,2] and ['a','b'].
//   - [*] for every item of an array, and .* for every member of an object or item of an
//     array.
//   - ..name for that name at any depth.
//   - The filters [?(@.name=="x")], with == != < <= > >=, and [?(@.name)] for existence.
//
// A $ before the path and { } around it change nothing.
//
// Parse refuses what kubectl and other readers of JSONPath understand differently, such as
// a bare dot inside quotes or a $ inside a filter. The error says what to write instead.
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
