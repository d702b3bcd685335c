// Package instancetype works out what KubeVirt makes of a VM that names an instance type or a
// preference: [Expand] fills in the VM's fields as KubeVirt does when it starts the VM, and
// [CheckRequirements] says what the preference requires and the VM does not have.
//
// An instance type sets the size of a VM. It conflicts with a VM that sets the same fields. A
// preference fills in what neither the VM nor the instance type sets, and overwrites a few
// fields. The tables of package internal/vmfields list all of these fields.
//
// All functions take the objects in the types of any decoder, never change them, and are safe
// for concurrent use. They do not ask a cluster. So they leave out what only a cluster knows:
// its defaults, the objects that a VM names by inferFromVolume, and those that it keeps in
// controller revisions.
package instancetype
