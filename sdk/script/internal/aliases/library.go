package aliases

import (
	"go/types"
	"slices"
	"strings"

	"colosseum/sdk/script/internal/source"
	"colosseum/sdk/script/symbols"
)

// reads reports whether a method of the library only reads its receiver.
func reads(f *types.Func) bool {
	recv := f.Signature().Recv().Type()
	if p, ok := recv.Underlying().(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := types.Unalias(recv).(*types.Named)
	if !ok {
		return false
	}
	switch path := packageOf(named.Obj()); path {
	case "": // error
		return true
	case "regexp":
		return f.Name() != "Longest" && !strings.HasPrefix(f.Name(), "Unmarshal")
	case "strings":
		return named.Obj().Name() == "Replacer" || !isPointerTo(f, named)
	case "container/list", "container/ring":
		return slices.Contains([]string{"Len", "Front", "Back", "Next", "Prev", "Move", "Do"}, f.Name())
	case "math/big":
		return slices.Contains(bigReads, f.Name())
	case "sort":
		return f.Name() != "Sort" && f.Name() != "Swap"
	default:
		return path != "" && !isPointerTo(f, named) && !types.IsInterface(named)
	}
}

func isPointerTo(f *types.Func, named *types.Named) bool {
	p, ok := f.Signature().Recv().Type().(*types.Pointer)
	return ok && types.Identical(p.Elem(), named)
}

// bigReads has the methods of package big that only read their receiver.
var bigReads = []string{
	"Acc", "Append", "Bit", "BitLen", "Bits", "Bytes", "Cmp", "CmpAbs", "Denom", "FillBytes", "Float32", "Float64", "Format",
	"Int64", "IsInf", "IsInt", "IsInt64", "IsUint64", "MinPrec", "Mode", "Num", "Prec", "ProbablyPrime", "Sign", "Signbit", "String",
	"Text", "TrailingZeroBits", "Uint64",
}

// writesTo reports whether a function of the library changes its i-th argument, or keeps it in
// a container, where the checker does not follow it.
func writesTo(f *types.Func, i int) bool {
	if path := packageOf(f); strings.HasPrefix(path, "container/") {
		return true
	}
	if f.Signature().Recv() != nil {
		switch f.Name() {
		case "Read", "FillBytes", "WriteTo":
			return i == 0
		case "Decode": // of JSON
			return i == 0
		case "DivMod", "QuoRem":
			return i == 2
		case "GCD":
			return i < 2
		}
		return false
	}
	name := f.Name()
	switch packageOf(f) {
	case "sort":
		return i == 0 && slices.Contains([]string{"Sort", "Stable", "Slice", "SliceStable", "Ints", "Strings", "Float64s"}, name)
	case "strconv", "unicode/utf8", "encoding/hex":
		return i == 0 && (strings.HasPrefix(name, "Append") || strings.HasPrefix(name, "Encode") && name != "EncodeToString" || name == "Decode")
	case "encoding/json":
		return source.DecodesJSON(f) && i == 1 || i == 0 && slices.Contains([]string{"Compact", "Indent", "HTMLEscape"}, name)
	case symbols.SDK:
		return source.DecodesJSON(f) && i == 1
	case "fmt":
		return i == 0 && (strings.HasPrefix(name, "Append") || strings.HasPrefix(name, "Fprint") || strings.HasPrefix(name, "Fscan")) ||
			i > 0 && strings.Contains(strings.ToLower(name), "scan")
	case "io":
		return i <= 1 && slices.Contains([]string{"Copy", "CopyN", "CopyBuffer", "ReadAll", "ReadAtLeast", "ReadFull", "WriteString"}, name)
	}
	return false
}
