package instancetype

import "cmp"

// topologyOf returns how many sockets a VM has, cores in each, and threads in each of these. It spreads
// vCPUs as a preference prefers, and a division loses its remainder. If the preference prefers nothing that
// KubeVirt knows, the result is 1 of each, whatever the number of vCPUs.
func topologyOf(guest int64, preference *object) (map[string]int64, error) {
	const threadsPerCore = 2
	t := map[string]int64{sockets: 1, cores: 1, threads: 1}
	if guest == 1 {
		return t, nil
	}
	switch preferred := preferredTopology(preference); preferred {
	case sockets, cores, threads:
		t[preferred] = guest
	case anyLevel:
		t[sockets] = guest
	case spread:
		ratio, across := spreadOptions(preference)
		switch levels := spreadLevels[across]; {
		case levels != nil && ratio == 0:
			return nil, preference.errorf("spec.cpu.spreadOptions.ratio is 0: KubeVirt divides by it and crashes: set it to 1 or more")
		case len(levels) == 2:
			t[levels[0]], t[levels[1]] = guest/ratio, ratio
		case len(levels) == 3:
			t[levels[0]], t[levels[1]], t[levels[2]] = guest/threadsPerCore/ratio, ratio, threadsPerCore
		}
	}
	return t, nil
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
