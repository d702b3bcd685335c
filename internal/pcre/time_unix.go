//go:build unix

package pcre

import (
	"runtime"
	"syscall"
	"time"
)

// Tests replace these clocks.
var (
	// processTime returns how long all threads of the process have run.
	processTime = func() time.Duration { return runTime(syscall.RUSAGE_SELF) }
	// threadTime returns how long this thread has run, or the process where no system call tells.
	threadTime = func() time.Duration {
		if runtime.GOOS == "linux" {
			return runTime(1) // RUSAGE_THREAD
		}
		return processTime()
	}
)

func runTime(who int) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(who, &used); err != nil {
		return now()
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
