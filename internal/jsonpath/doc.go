// Package jsonpath knows JSONPath in the dialect of Kubernetes (kubectl).
//
// The dialect: a leading dot (forgiven where it is missing), names separated by
// dots, in which any character but letters, digits, "_", "-" and "/" takes a
// backslash ("\." is a dot); ['name'], [0], [-1], [0:2], [0:4:2], [0,2],
// ['a','b'], [*] for every item of an array, .* for every member of an object or
// item of an array, ..name for that name at any depth, and the filters
// [?(@.name=="x")] with == != < <= > >= and [?(@.name)] for existence. A $ in
// front and { } around the whole change nothing.
//
// What kubectl and other readers of JSONPath understand differently is refused,
// with an error that says what to write instead: a bare dot inside quotes, $
// inside a filter.
//
// [Parse] reads a [Path], and a [Search] visits what it selects in a value, each
// [Location] once and in document order: items by index, members by name. A null is
// not there. Besides what is written, steps that name a field see the fields of an
// [Implied] tree: those with a default, and those that others may set, which leave
// a doubt. A search pays for each value at which it looks.
package jsonpath
