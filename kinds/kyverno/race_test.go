//go:build race

package kyverno

const raceDetector = true
