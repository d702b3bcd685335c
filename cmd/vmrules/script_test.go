package main

import (
	"testing"

	"github.com/vmrules/vmrules/cmd/vmrules/scripttest"
)

func TestMain(m *testing.M) { scripttest.Main(m, "vmrules", main) }

func TestScript(t *testing.T) { scripttest.Run(t) }
