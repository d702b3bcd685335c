// Package constraint knows what the arguments of a rule demand of a value: whether
// a value satisfies a constraint, whether two constraints contradict each other, and
// what they demand together.
//
// [Arguments] is the table of all arguments, in the order in which a value is judged
// by them. A [Set] is the type and the constraints that a value has to satisfy: those
// of one rule, or those of several rules together. Combining sets never makes one that
// admits a value which one of them refuses.
//
// To add an argument, write a type that is a [Constraint], and its row in Arguments.
package constraint
