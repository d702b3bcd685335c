// Package form says what the fields of a VM may hold, for those who render inputs for
// them: [Limits] field by field, [Schema] as a JSON Schema of the whole object.
//
// Both begin with [vmrules.Rules.Resolve], which finds the rules' arguments and values
// in the object, and put the rules on one path together. Both are safe for concurrent
// use, never change the object, and have one [vmrules.Budget] a call.
package form
