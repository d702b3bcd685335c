//go:build !race

package kyverno

const raceDetector = false
