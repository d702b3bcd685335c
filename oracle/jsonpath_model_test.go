package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"k8s.io/client-go/third_party/forked/golang/template"
	"k8s.io/client-go/util/jsonpath"
)

// A pathClass is a way in which this library differs from client-go.
// jsonpath_exceptions.md gives the reason of each.
type pathClass string

// Classes in which both read an expression alike and select different values.
const (
	classEmptyArray = pathClass("empty-array")
	classString     = pathClass("string-wildcard")
	classNumbers    = pathClass("number-by-value")
	classOnce       = pathClass("once")
	classNull       = pathClass("null")
	classOneElement = pathClass("one-element")
	classOperands   = pathClass("operands")
)

// A pathModel evaluates the tree that client-go's parser makes of an expression. It does so
// in client-go's way, except for the classes that are on. A difference is explained only if
// the model with some classes gives the library's answer.
type pathModel struct {
	on map[pathClass]bool
	// byChance is set if the answer may depend on the order of a map's members, which is
	// random in client-go.
	byChance bool
}

func (m *pathModel) list(values []any, list *jsonpath.ListNode) ([]any, error) {
	var err error
	for _, node := range list.Nodes {
		if values, err = m.node(values, node); err != nil {
			return values, err
		}
	}
	return values, nil
}

func (m *pathModel) node(values []any, node jsonpath.Node) ([]any, error) {
	switch node := node.(type) {
	case *jsonpath.ListNode:
		return m.list(values, node)
	case *jsonpath.FieldNode:
		return m.field(values, node.Value), nil
	case *jsonpath.ArrayNode:
		return m.array(values, node.Params)
	case *jsonpath.WildcardNode:
		return m.children(values), nil
	case *jsonpath.RecursiveNode:
		return m.below(values), nil
	case *jsonpath.UnionNode:
		return m.union(values, node.Nodes)
	case *jsonpath.FilterNode:
		return m.filter(values, node)
	case *jsonpath.TextNode:
		return []any{node.Text}, nil
	case *jsonpath.IntNode:
		return slices.Repeat([]any{node.Value}, len(values)), nil
	case *jsonpath.FloatNode:
		return slices.Repeat([]any{node.Value}, len(values)), nil
	case *jsonpath.BoolNode:
		return slices.Repeat([]any{node.Value}, len(values)), nil
	}
	return values, fmt.Errorf("unexpected %v", node)
}

func (m *pathModel) field(values []any, name string) []any {
	var found []any
	for _, v := range values {
		object, _ := v.(map[string]any)
		if next, ok := object[name]; ok {
			found = m.keep(found, next)
		}
	}
	return found
}

// keep adds a selected value.
func (m *pathModel) keep(found []any, v any) []any {
	if v == nil && m.on[classNull] {
		return found
	}
	return append(found, v)
}

func (m *pathModel) array(values []any, params [3]jsonpath.ParamsEntry) ([]any, error) {
	var found []any
	m.byChance = m.byChance || len(values) > 1 && !m.on[classEmptyArray] && slices.ContainsFunc(values, endsSearch(params))
	for _, v := range values {
		if v == nil {
			continue
		}
		indexes, err := indexesOf(v, params)
		switch {
		case err != nil && m.on[classOneElement]:
		case err != nil:
			return values, err
		case len(indexes) == 0 && m.on[classEmptyArray]:
		case len(indexes) == 0:
			return found, nil
		}
		for _, k := range indexes {
			found = m.keep(found, v.([]any)[k])
		}
	}
	return found, nil
}

// endsSearch reports whether a slice of an array is empty, in which case client-go does not
// visit later arrays.
func endsSearch(params [3]jsonpath.ParamsEntry) func(any) bool {
	return func(v any) bool {
		indexes, err := indexesOf(v, params)
		return err == nil && len(indexes) == 0
	}
}

// indexesOf lists the indexes that an index or a slice selects in an array.
func indexesOf(v any, params [3]jsonpath.ParamsEntry) ([]int, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%T is not an array", v)
	}
	low, high, step := params[0].Value, params[1].Value, 1
	if low < 0 {
		low += len(list)
	}
	if !params[1].Known {
		high = len(list)
	}
	if high < 0 || high == 0 && params[1].Derived {
		high += len(list)
	}
	if params[2].Known {
		step = params[2].Value
	}
	switch {
	case low == high:
		return nil, nil
	case low < 0 || low >= len(list) || high < 0 || high > len(list) || low > high || step <= 0:
		return nil, fmt.Errorf("%v is out of bounds", params)
	}
	var indexes []int
	for i := low; i < high; i += step {
		indexes = append(indexes, i)
	}
	return indexes, nil
}

func (m *pathModel) union(values []any, keys []*jsonpath.ListNode) ([]any, error) {
	var found []any
	for _, key := range keys {
		some, err := m.list(values, key)
		if err != nil {
			return values, err
		}
		found = append(found, some...)
	}
	return found, nil
}

func (m *pathModel) children(values []any) []any {
	var found []any
	for _, v := range values {
		for _, child := range m.childrenOf(v) {
			found = m.keep(found, child)
		}
	}
	return found
}

func (m *pathModel) childrenOf(v any) []any {
	var children []any
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		for _, child := range v {
			children = append(children, child)
		}
	case string:
		if m.on[classString] {
			return nil
		}
		for i := range len(v) {
			children = append(children, v[i])
		}
	}
	return children
}

func (m *pathModel) below(values []any) []any {
	var found []any
	for _, v := range values {
		if children := m.childrenOf(v); len(children) > 0 {
			found = append(append(found, v), m.below(children)...)
		}
	}
	return found
}

func (m *pathModel) filter(values []any, node *jsonpath.FilterNode) ([]any, error) {
	var found []any
	for _, v := range values {
		list, ok := v.([]any)
		if !ok && !m.on[classOneElement] {
			return values, fmt.Errorf("%T is not an array", v)
		}
		for _, item := range list {
			holds, err := m.holds(item, node)
			if err != nil {
				return values, err
			}
			if holds {
				found = m.keep(found, item)
			}
		}
	}
	return found, nil
}

func (m *pathModel) holds(item any, node *jsonpath.FilterNode) (bool, error) {
	lefts, err := m.operand(item, node.Left)
	if node.Operator == "exists" {
		return len(lefts) > 0, nil // client-go ignores the error
	}
	if err != nil || len(lefts) == 0 {
		return false, err
	}
	rights, err := m.operand(item, node.Right)
	if err == nil && len(lefts) > 1 || len(rights) > 1 {
		err = fmt.Errorf("several values")
	}
	holds := false
	if err == nil && len(rights) == 1 {
		holds, err = m.compare(lefts[0], node.Operator, rights[0])
	}
	if m.on[classOperands] {
		return holds && err == nil, nil
	}
	return holds, err
}

func (m *pathModel) operand(item any, list *jsonpath.ListNode) ([]any, error) {
	found, err := m.list([]any{item}, list)
	if m.on[classOnce] {
		found = slices.CompactFunc(slices.SortedFunc(slices.Values(found), compareText), func(a, b any) bool {
			return compareText(a, b) == 0
		})
	}
	return found, err
}

func compareText(a, b any) int { return cmp.Compare(jsonText(a), jsonText(b)) }

func (m *pathModel) compare(left any, operator string, right any) (bool, error) {
	if m.on[classNumbers] {
		if a, b := exactly(left), exactly(right); a != nil && b != nil {
			left, right = a.Cmp(b), 0
		}
	}
	switch operator {
	case "==":
		return template.Equal(left, right)
	case "!=":
		return template.NotEqual(left, right)
	case "<":
		return template.Less(left, right)
	case "<=":
		return template.LessEqual(left, right)
	case ">":
		return template.Greater(left, right)
	case ">=":
		return template.GreaterEqual(left, right)
	}
	return false, fmt.Errorf("unknown operator %s", operator)
}

// exactly returns the exact value of a number, and nil for anything else.
func exactly(v any) *big.Rat {
	switch v.(type) {
	case int, int64, float64:
		r, _ := new(big.Rat).SetString(fmt.Sprint(v))
		return r
	}
	return nil
}

// A pathAnswer is the answer of one side to an expression and a document.
type pathAnswer struct {
	refused string // why; "" if the expression is accepted
	values  string // the JSON of the selected values, as a sorted set
	matches int
	failed  error // a run-time error, which means no match
}

func (a pathAnswer) same(b pathAnswer) bool {
	return (a.refused == "") == (b.refused == "") && a.values == b.values
}

func (a pathAnswer) String() string {
	switch {
	case a.refused != "":
		return "refused: " + a.refused
	case a.failed != nil:
		return "nothing: " + a.failed.Error()
	}
	return "[" + strings.ReplaceAll(a.values, "\n", " ") + "]"
}

// selected drops nulls, which count as absent, and repetitions.
func selected(values []any) pathAnswer {
	var texts []string
	for _, v := range values {
		if v != nil {
			texts = append(texts, jsonText(v))
		}
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	return pathAnswer{values: strings.Join(texts, "\n"), matches: len(texts)}
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(text)
}
