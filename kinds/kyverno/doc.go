// Package kyverno judges objects by patterns of Kyverno: a rule of the kind
// "pattern" in an annotation, or a whole Policy that Rules reads. It is Kyverno's
// own engine that matches them; what the engine has changed since the format was
// first described is translated, and what it would pass over in silence is
// refused. The README says how each sentence of the format is run.
package kyverno
