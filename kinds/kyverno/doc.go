// Package kyverno validates objects by patterns of Kyverno. A pattern is part of a rule of the
// kind "pattern" in an annotation, or of a whole policy that Rules reads.
//
// Kyverno's own engine matches the patterns. Kyverno has changed the format since it first
// described it in 2019: this package translates patterns of that form. It refuses what the engine
// would silently ignore. The README shows how each part of the format is evaluated.
package kyverno
