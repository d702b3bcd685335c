package build

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	release := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v1.2.3"}}
	commit := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123abc"}, {Key: "vcs.modified", Value: "true"},
	}}
	tests := []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"a release", release, "vmrules v1.2.3, go1.26.8"},
		{"a commit", commit, "vmrules (devel), commit 0123abc with changes, go1.26.8"},
		{"nothing", nil, "vmrules, unknown version"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := Build{Name: "vmrules"}
			if got := b.Version(test.info, test.info != nil); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
