package instancetype

import "cmp"

// A topology is how many sockets a VM has, cores in each, and threads in each of these.
type topology map[string]int64

// topologyOf spreads vCPUs as a preference prefers. If it prefers nothing that KubeVirt knows,
// the result is 1 of each, whatever the number of vCPUs.
func topologyOf(guest int64, preference *object) (topology, error) {
	t := topology{sockets: 1, cores: 1, threads: 1}
	if guest == 1 {
		return t, nil
	}
	switch preferred := preferredTopology(preference); preferred {
	case sockets, cores, threads:
		t[preferred] = guest
	case anyLevel:
		t[sockets] = guest
	case spread:
		return t, t.spread(guest, preference)
	}
	return t, nil
}

// spread divides the vCPUs. A division loses its remainder.
func (t topology) spread(guest int64, preference *object) error {
	const threadsPerCore = 2
	ratio, across := spreadOptions(preference)
	if ratio == 0 && spreadLevels[across] != nil {
		return preference.errorf("spec.cpu.spreadOptions.ratio is 0: KubeVirt divides by it and crashes: set it to 1 or more")
	}
	switch levels := spreadLevels[across]; len(levels) {
	case 2:
		t[levels[0]], t[levels[1]] = guest/ratio, ratio
	case 3:
		t[levels[0]], t[levels[1]], t[levels[2]] = guest/threadsPerCore/ratio, ratio, threadsPerCore
	}
	return nil
}

// These are the levels of a topology, and the names of preferred topologies.
const (
	sockets  = "sockets"
	cores    = "cores"
	threads  = "threads"
	anyLevel = "any"
	spread   = "spread"
)

var oldNames = map[string]string{
	"preferSockets": sockets,
	"preferCores":   cores,
	"preferThreads": threads,
	"preferAny":     anyLevel,
	"preferSpread":  spread,
}

func preferredTopology(preference *object) string {
	preferred, ok := preference.text("cpu.preferredCPUTopology")
	if !ok {
		return sockets
	}
	return cmp.Or(oldNames[preferred], preferred)
}

// spreadLevels has the levels across which vCPUs can be spread.
var spreadLevels = map[string][]string{
	"SocketsCores":        {sockets, cores},
	"CoresThreads":        {cores, threads},
	"SocketsCoresThreads": {sockets, cores, threads},
}

// spreadOptions returns the options for spread. The ratio is 0 only if the preference sets
// spreadOptions.ratio to 0.
func spreadOptions(preference *object) (ratio int64, across string) {
	ratio, ok := preference.count("cpu.spreadOptions.ratio")
	if !ok {
		older, _ := preference.count("preferSpreadSocketToCoreRatio")
		ratio = cmp.Or(older, 2)
	}
	across, ok = preference.text("cpu.spreadOptions.across")
	if !ok {
		across = "SocketsCores"
	}
	return ratio, across
}
