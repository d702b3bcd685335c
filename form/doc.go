// Package form says what the fields of a VM may hold, for programs that render inputs
// for them: [Limits] field by field, and [Schema] as a JSON Schema of the whole object.
// [Parameters] does so for the parameters of a template, which [Fill] fills in.
//
// All but Fill begin with [Resolve], which finds the rules' arguments and
// values in the object, and then combine the rules that are about the same field. They are
// safe for concurrent use and never change the object. Each call has one [vmrules.Budget].
package form
