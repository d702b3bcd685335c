package meter_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules/internal/meter"
)

func TestSpend(t *testing.T) {
	type step struct {
		work, kept         int
		err                error
		workLeft, keptLeft int
	}
	for _, test := range []struct {
		name       string
		work, kept int
		steps      []step
	}{
		{"exactly all", 10, 5, []step{{4, 5, nil, 6, 0}, {6, 0, nil, 0, 0}, {0, 0, nil, 0, 0}}},
		{"too much work", 10, 5, []step{{11, 0, meter.ErrWork, 0, 0}, {1, 0, meter.ErrWork, 0, 0}, {0, 1, meter.ErrKept, 0, 0}}},
		{"too much memory", 10, 5, []step{{1, 6, meter.ErrKept, 0, 0}, {1, 0, meter.ErrWork, 0, 0}}},
		{"too much of both", 10, 5, []step{{11, 6, meter.ErrWork, 0, 0}}},
		{"negative amounts", 10, 5, []step{{-3, 1, nil, 10, 4}, {3, math.MinInt, nil, 7, 4}}},
		{"a negative amount and too much", 10, 5, []step{{-1, 6, meter.ErrKept, 0, 0}}},
		{"the largest amounts", 10, 5, []step{{math.MaxInt, math.MaxInt, meter.ErrWork, 0, 0}}},
		{"a negative budget", -1, -1, []step{{0, 0, nil, 0, 0}, {1, 0, meter.ErrWork, 0, 0}}},
		{"the largest budget", math.MaxInt, math.MaxInt, []step{{math.MaxInt, 1, nil, 0, math.MaxInt - 1}}},
	} {
		m := meter.New(test.work, test.kept)
		var got []step
		for _, s := range test.steps {
			err := m.Spend(s.work, s.kept)
			work, kept := m.Left()
			got = append(got, step{s.work, s.kept, err, work, kept})
		}
		if diff := cmp.Diff(test.steps, got, cmp.AllowUnexported(step{}), cmpopts.EquateErrors()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestFree(t *testing.T) {
	m := meter.New(10, 5)
	if err := m.Spend(0, 5); err != nil {
		t.Fatal(err)
	}
	m.Free(3)
	m.Free(-1)
	if work, kept := m.Left(); work != 10 || kept != 3 {
		t.Errorf("%d and %d are left, not 10 and 3", work, kept)
	}
	if err := m.Spend(0, 4); err != meter.ErrKept {
		t.Errorf("error is %v, not %v", err, meter.ErrKept)
	}
	m.Free(100)
	if err := m.Spend(0, 1); err != meter.ErrKept {
		t.Errorf("after a refusal, error is %v, not %v", err, meter.ErrKept)
	}
}

func TestHalf(t *testing.T) {
	m := meter.New(11, 5)
	half := m.Half()
	if err := half.Spend(6, 0); err != meter.ErrWork {
		t.Errorf("error is %v, not %v", err, meter.ErrWork)
	}
	if work, kept := m.Left(); work != 6 || kept != 3 || m.Err() != nil {
		t.Errorf("%d and %d are left, not 6 and 3: %v", work, kept, m.Err())
	}
	half = m.Half()
	if err := half.Spend(1, 1); err != nil {
		t.Fatal(err)
	}
	m.Return(half)
	if work, kept := m.Left(); work != 5 || kept != 2 {
		t.Errorf("%d and %d are left, not 5 and 2", work, kept)
	}
}

func TestArithmetic(t *testing.T) {
	for _, test := range []struct {
		name      string
		got, want int
	}{
		{"times", meter.Times(3, 4), 12},
		{"times nothing", meter.Times(math.MaxInt, 0), 0},
		{"nothing times", meter.Times(0, math.MaxInt), 0},
		{"times beyond", meter.Times(math.MaxInt/2, 3), math.MaxInt},
		{"times at the end", meter.Times(math.MaxInt, 1), math.MaxInt},
		{"plus", meter.Plus(3, 4), 7},
		{"plus beyond", meter.Plus(math.MaxInt, 1), math.MaxInt},
		{"plus at the end", meter.Plus(math.MaxInt, 0), math.MaxInt},
	} {
		if test.got != test.want {
			t.Errorf("%s: %d, want %d", test.name, test.got, test.want)
		}
	}
}

func TestOrDefault(t *testing.T) {
	for _, test := range []struct {
		time               time.Duration
		bytes              int64
		wantWork, wantKept int
	}{
		{0, 0, meter.DefaultWork, meter.DefaultKept},
		{-1, 3, meter.DefaultWork, 3},
		{math.MinInt64, math.MinInt64, meter.DefaultWork, meter.DefaultKept},
		{1, 2, 1, 2},
		{math.MaxInt64, math.MaxInt64, math.MaxInt - 1, math.MaxInt - 1},
	} {
		m := meter.OrDefault(test.time, test.bytes)
		if work, kept := m.Left(); work != test.wantWork || kept != test.wantKept {
			t.Errorf("OrDefault(%d, %d) leaves %d and %d", test.time, test.bytes, work, kept)
		}
	}
}

// TestPay checks that no amount is cut to what is left, also where an int has 32 bits.
func TestPay(t *testing.T) {
	const most = math.MaxInt64
	for _, test := range []struct {
		time  time.Duration
		bytes int64
		err   error
	}{
		{3, 4, nil},
		{-1, math.MinInt64, nil},
		{1 << 32, 0, ifInt32(meter.ErrWork)},
		{0, 1<<32 + 1, ifInt32(meter.ErrKept)},
		{most, 0, meter.ErrWork},
		{0, most, meter.ErrKept},
	} {
		m := meter.OrDefault(most, most)
		if err := m.Pay(test.time, test.bytes); err != test.err {
			t.Errorf("Pay(%d, %d) returns %v, not %v", test.time, test.bytes, err, test.err)
		}
	}
}

// ifInt32 returns an error if an int has 32 bits.
func ifInt32(err error) error {
	if math.MaxInt == math.MaxInt32 {
		return err
	}
	return nil
}
