//go:build !race

package vmrules

const raceDetector = false
