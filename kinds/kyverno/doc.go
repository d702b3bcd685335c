// Package kyverno judges objects by patterns of Kyverno. A pattern is part of a rule of the
// kind "pattern" in an annotation, or of a whole policy that Rules reads.
//
// Kyverno's own engine matches the patterns. The pattern format has changed since Kyverno first
// described it: patterns in the first form are translated, and what the engine would silently
// ignore is refused. The README shows how each part of the format is evaluated.
package kyverno
