package model

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
)

// quantity is the form of Kubernetes' quantities, among which are plain numbers.
var quantity = regexp.MustCompile(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?[0-9]+))?$`)

// suffixes are the factors of quantities: those of 1000 and those of 1024.
var suffixes = map[string]*big.Rat{}

func init() {
	for i, s := range strings.Split("n u m - k M G T P E", " ") {
		suffixes[s] = power(1000, i-3)
	}
	for i, s := range strings.Split("Ki Mi Gi Ti Pi Ei", " ") {
		suffixes[s] = power(1024, i+1)
	}
}

func power(base int64, exponent int) *big.Rat {
	n := new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(max(exponent, -exponent))), nil)
	r := new(big.Rat).SetInt(n)
	if exponent < 0 {
		r.Inv(r)
	}
	return r
}

// number returns the exact value of a JSON number or of a string that is a
// quantity (design 4: Arguments, min and max); nil for any other value.
func number(v any) *big.Rat {
	switch v := v.(type) {
	case json.Number:
		return exact(string(v))
	case string:
		parts := quantity.FindStringSubmatch(v)
		if parts == nil {
			return nil
		}
		if parts[3] != "" {
			return exact(v)
		}
		n := exact(parts[1])
		if factor := suffixes[parts[2]]; factor != nil {
			n.Mul(n, factor)
		}
		return n
	}
	return nil
}

func exact(digits string) *big.Rat {
	n, ok := new(big.Rat).SetString(digits)
	if !ok {
		return nil
	}
	return n
}

// render returns a scalar as string: a number in plain decimal notation without
// exponent; false for an array or an object (design 4: Kinds).
func render(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	case json.Number:
		n := exact(string(v))
		digits, _ := n.FloatPrec()
		return n.FloatString(digits), true
	}
	return "", false
}
