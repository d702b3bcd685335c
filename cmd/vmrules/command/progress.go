package command

import (
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
)

// progress returns a progress bar for a terminal. Its end is -1 if that is not known.
func progress(stderr io.Writer, end int64, units ...progressbar.Option) *progressbar.ProgressBar {
	file, ok := stderr.(*os.File)
	return newBar(stderr, ok && isatty.IsTerminal(file.Fd()), end, units...)
}

const progressEvery = 100 * time.Millisecond

func newBar(w io.Writer, isVisible bool, end int64, units ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(end, append([]progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(isVisible),
		progressbar.OptionSetRenderBlankState(true), // the first frame has no rate, which no time has passed for
		progressbar.OptionThrottle(progressEvery),
		progressbar.OptionClearOnFinish(),
	}, units...)...)
}

// countObjects makes a bar count objects.
var countObjects = progressbar.OptionShowCount()
