package model_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/oracle/model"
)

var (
	cases   = flag.Uint64("cases", 10_000, "how many cases the model is compared on")
	workers = flag.Uint64("workers", 2, "how many goroutines compare")
	most    = flag.Int("most", 3, "how many differences are shown")
)

// TestModel demands that the library agrees with the model on generated cases.
func TestModel(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	seed, all := seeds.Of(1), spread{}
	different := 0
	for w := range *workers {
		wg.Go(func() {
			own := spread{}
			for i := w; i < *cases; i += *workers {
				c := generate(seed, i)
				if own.compare(t, c) {
					continue
				}
				if c.listed() {
					own["listed difference"]++
					continue
				}
				mu.Lock()
				different++
				show := different <= *most
				mu.Unlock()
				if show {
					t.Errorf("case %d of %s=%d:\n%s", i, seeds.Variable, seed, shrink(c))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(own)
		})
	}
	wg.Wait()
	t.Logf("%d cases of %s=%d, %d different\n%s", *cases, seeds.Variable, seed, different, all)
	all.demandVariety(t)
}

// compare judges a case both ways, counts the results, and reports whether they agree.
func (s spread) compare(t *testing.T, c testCase) bool {
	want, got, err := c.judge()
	if err != nil {
		t.Errorf("%v\n%s", err, c)
		return true
	}
	for _, r := range want {
		s["outcome "+string(r.Outcome)]++
		for _, v := range r.Violations {
			s["reason "+v.Reason+" "+v.Argument]++
		}
	}
	return same(want, got)
}

func same(want, got []model.Result) bool {
	return slices.EqualFunc(want, got, func(a, b model.Result) bool {
		return a.Target == b.Target && a.Rule == b.Rule && a.Outcome == b.Outcome && slices.Equal(a.Violations, b.Violations)
	})
}

// judge returns the results of the model and of the library.
func (c testCase) judge() (want, got []model.Result, err error) {
	annotation := c.annotation()
	object := c.decode()
	var version vmrules.ParseOption
	if c.options.V201901 {
		version = vmrules.V201901()
	}
	rules, err := vmrules.ParseRules(annotation, version)
	if err != nil {
		return nil, nil, fmt.Errorf("the library refuses: %w", err)
	}
	opts := []vmrules.ValidateOption{vmrules.WithBudget(vmrules.Budget{Backtracking: time.Minute})} // so that no clock decides
	if c.options.Partial {
		opts = append(opts, vmrules.Partial())
	}
	for _, d := range c.options.Defaults {
		field, err := vmrules.NewDefault(vmrules.MustParsePath(d.Path), d.Value)
		if err != nil {
			return nil, nil, err
		}
		opts = append(opts, vmrules.WithDefaults(field))
	}
	for _, r := range vmrules.Validate(rules, object, opts...).Results() {
		result := model.Result{Target: r.Target, Rule: r.Rule, Outcome: model.Outcome(r.Outcome)}
		for _, v := range r.Violations {
			result.Violations = append(result.Violations, model.Violation{
				Field: v.Field, Reason: string(v.Reason), Argument: v.Argument, Warned: v.Warned,
			})
		}
		got = append(got, result)
	}
	var judged any = object
	if object == nil {
		judged = nil
	}
	want, err = model.Judge(annotation, judged, c.options)
	return want, got, err
}

func (c testCase) annotation() string { return encode(c.rules) }

func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return b.String()
}

// String shows a case with both results.
func (c testCase) String() string {
	want, got, err := c.judge()
	diff := cmp.Diff(want, got, cmpopts.EquateEmpty())
	text := fmt.Sprintf("annotation %sobject %soptions %+v\n", c.annotation(), encode(c.object), c.options)
	if c.decoding != 0 {
		text += fmt.Sprintf("decoded as %#v\n", c.decode())
	}
	return fmt.Sprintf("%serror %v\n(-model +library)\n%s", text, err, diff)
}

// A spread counts outcomes and reasons.
type spread map[string]int

func (s spread) add(t spread) {
	for key, n := range t {
		s[key] += n
	}
}

func (s spread) String() string {
	var b bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%8d %s\n", s[key], key)
	}
	return b.String()
}

// demandVariety demands that every outcome, and every reason, occurs at least once in a
// hundred.
func (s spread) demandVariety(t *testing.T) {
	sums := map[string]int{}
	counts := map[string]int{}
	for key, n := range s {
		var sort, name string
		fmt.Sscan(key, &sort, &name)
		sums[sort] += n
		counts[sort+" "+name] += n
	}
	for _, key := range []string{
		"outcome Satisfied", "outcome Violated", "outcome Warned", "outcome Skipped", "outcome Ignored", "outcome Undecided",
		"reason FieldValueRequired", "reason FieldValueTypeInvalid", "reason FieldValueNotSupported",
		"reason FieldValueTooLong", "reason FieldValueInvalid", "reason InternalError",
	} {
		var sort string
		fmt.Sscan(key, &sort)
		if counts[key]*100 < sums[sort] {
			t.Errorf("%s is less than one in a hundred: the cases are not varied enough", key)
		}
	}
}
