package model_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"log"
	"os"
	"testing"
)

var write = flag.Bool("write", false, "write the cases as lines of JSON, and run no tests: for package versions")

func TestMain(m *testing.M) {
	flag.Parse()
	if !*write {
		os.Exit(m.Run())
	}
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	for i := range *cases {
		c := generate(*seed, i)
		err := lines.Encode(map[string]any{
			"Annotation": c.rules, "Object": c.object, "Defaults": c.options.Defaults,
			"V201901": c.options.V201901, "Partial": c.options.Partial,
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
