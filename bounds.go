package vmrules

// Anybody who can write a VM can write its annotation and its fields, so both
// are hostile input. Some limits apply to each thing separately. They are here;
// in internal/quantity for numbers, internal/value for the depth of an object,
// internal/jsonpath for matches, and internal/pcre for regular expressions. The
// Budget of a call limits everything together.
const (
	maxAnnotation = 256 << 10 // bytes, which Kubernetes allows for all annotations of an object
	maxNesting    = 64        // levels of arrays and objects in an annotation
	maxRules      = 10_000
	maxBuilt      = 16 << 20 // bytes of JSON, for rules built in Go: a schema may be larger than any annotation
)

// The cost of each step, in units of work, measured and rounded up. Package
// internal/jsontext has the costs of JSON, internal/jsonpath those of a search, and
// internal/vmtarget those of finding VMs, and internal/plan that of a wrong value.
const (
	textWork    = 10   // a byte of an annotation
	problemWork = 2000 // a problem of a rule, with its message
	memberWork  = 10   // a member of an object in which a kind looks for a key
	matchWork   = 400  // a value that a path selects, with its location as text
)

// The memory that each thing keeps, in bytes, apart from its texts.
const (
	pathSize      = 150 // a byte of a path, since each may be a step
	problemSize   = 350
	valueSize     = 150 // one of the values that are allowed
	resultSize    = 240
	matchSize     = 64
	violationSize = 250
)
