package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
)

// A streamed holds the instance types and preferences of --with and of a stream.
type streamed struct {
	companions
	file  string // the name of the stream
	size  int    // of those of the stream, in bytes
	wrong error  // why one of them cannot be used
	lacks bool   // whether a VM names one that was not found
}

// companionIn returns an instance type or a preference of a stream; nil for any other object.
// The group must be near the beginning: API servers and kubectl write apiVersion first.
func companionIn(object json.RawMessage) map[string]any {
	const beginning = 512
	if !bytes.Contains(object[:min(len(object), beginning)], []byte(instancetypes.Group+"/")) {
		return nil
	}
	if decoded := decode(object); instancetypes.IsMember(decoded) {
		return decoded
	}
	return nil
}

// maxCompanions is the largest size in bytes of all instance types and preferences of a stream.
// Real ones have a thousandth of that.
const maxCompanions = 16 << 20

// keep adds an instance type or a preference of the stream, which has a size in bytes. Of the
// errors, it keeps the first.
func (s *streamed) keep(companion map[string]any, size int) {
	s.size += size
	if err := s.add(companion); s.wrong == nil {
		s.wrong = err
	}
}

func (s *streamed) add(companion map[string]any) error {
	if s.size > maxCompanions {
		return fmt.Errorf("%s: the instance types and preferences have more than %d bytes up to here: those that follow are not used",
			s.file, maxCompanions)
	}
	return s.set.Add(companion, instancetypes.Place{File: s.file})
}

// warn also says that VMs name something that was not found.
func (s *streamed) warn(stderr io.Writer) {
	s.companions.warn(stderr)
	if s.lacks {
		fmt.Fprintln(stderr, "vmrules: "+notInStream)
	}
}

const notInStream = "not all instance types and preferences that VMs name are given: put them before the VMs, or give them with --with"
