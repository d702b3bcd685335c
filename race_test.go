//go:build race

package vmrules

const raceDetector = true
