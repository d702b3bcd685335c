package command

import (
	"strings"
	"testing"

	"github.com/schollz/progressbar/v3"
)

// When the first frame is written, no time has passed to compute a rate from.
func TestFirstFrame(t *testing.T) {
	for name, unit := range map[string]progressbar.Option{"bytes": progressbar.OptionShowBytes(true), "objects": countObjects} {
		for _, end := range []int64{1 << 30, -1} {
			var frames strings.Builder
			newBar(&frames, true, end, unit)
			if first := frames.String(); !strings.Contains(first, "[0s") || strings.Contains(first, "/s") {
				t.Errorf("%s of %d: the first frame is %q", name, end, first)
			}
		}
	}
	var frames strings.Builder
	if err := newBar(&frames, true, 0, countObjects).Finish(); frames.Len() > 0 {
		t.Errorf("the frame for nothing is %q, error %v", frames.String(), err)
	}
}
