package vmrules

import "errors"

// Whoever can write a VM can write its annotation and its fields, so both are
// hostile input: nothing here may take time or memory without end. These are
// the limits for an annotation (a problem when it is read) and for one
// validation (an undecided rule). Those of regular expressions stand in
// regex.go and beside it.
const (
	maxAnnotation = 256 << 10 // bytes: what Kubernetes allows for all annotations of an object
	maxNesting    = 64        // arrays and objects inside each other, in an annotation
	maxRules      = 10_000
	maxBuilt      = 16 << 20 // bytes of rules built in Go, as JSON: a schema may be larger than any annotation

	maxDigits   = 1_000 // of a number, as it is written
	maxExponent = 1_000 // decimal, as it is written, to either side

	maxMatches = 10_000        // that one path selects
	maxNodes   = 1_000_000     // values that one validation looks at; a long one counts more
	maxNodesOf = 10 * maxNodes // all that ValidateOwn looks at, for all VMs together
	maxDepth   = 1_000         // of an object; one built in Go may contain itself

	maxResults    = 100_000  // in one report
	maxReport     = 64 << 20 // bytes of one report, about
	violationSize = 200      // bytes of a violation, apart from its texts
)

var (
	errTooManyMatches = errors.New("the path selects more than 10,000 values")
	errTooManyNodes   = errors.New("the rules look at too many values of the object")
	errTooDeep        = errors.New("the object is nested deeper than 1,000 levels")
	errReportTooLong  = errors.New("the report has too many violations already")
)
