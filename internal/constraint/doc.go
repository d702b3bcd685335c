// Package constraint checks values against the arguments of rules. It knows whether a value
// satisfies a constraint, whether two constraints contradict each other, and what several
// constraints demand together.
//
// [Arguments] is the table of all arguments, in the order in which a value is checked
// by them. A [Set] holds the type and the constraints that a value has to satisfy, from one
// rule or from several rules together. A combination of sets never admits a value that one
// of them refuses.
//
// To add an argument, write a type that implements [Constraint], and add a row to Arguments, and
// the type to the switches in set.go.
package constraint
