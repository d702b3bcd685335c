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
package jsonpath
