package sandbox

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"sync"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// assembled is a filter of system calls as the system takes it. Filters see numbers and
// not memory: paths and addresses are left to Landlock.
type assembled struct {
	instructions []byte
	pids         []int // offsets at which they need the process ID, as 4 bytes
}

const (
	instruction = 8           // bytes
	somePID     = 0x7fff_fff1 // larger than any, and no other number in a filter
)

// filters has an assembled filter for each kind of policies that was needed.
var filters sync.Map

// assembled returns the filter of a policy.
func (p Policy) assembled() (a assembled, err error) {
	kind := [...]bool{p.Listen, p.Network, p.Processes, p.Pinned} // what filter looks at
	if known, ok := filters.Load(kind); ok {
		return known.(assembled), nil
	}
	info, err := arch.GetInfo("")
	if err != nil {
		return a, err
	}
	for _, one := range assemble(p.filter(info, somePID), info) {
		raw, err := one.Assemble()
		if err != nil {
			return a, err
		}
		a.instructions = binary.NativeEndian.AppendUint16(a.instructions, raw.Op)
		a.instructions = append(a.instructions, raw.Jt, raw.Jf)
		if raw.K == somePID {
			a.pids = append(a.pids, len(a.instructions))
		}
		a.instructions = binary.NativeEndian.AppendUint32(a.instructions, raw.K)
	}
	filters.Store(kind, a)
	return a, nil
}

// refusal is what a call gets that has no rule.
const refusal = seccomp.ActionErrno | seccomp.Action(unix.EPERM)

// assemble returns the program of a filter. It searches the number of the call in a tree,
// and then checks the conditions of this call alone. The library's own program compares the
// number with one after the other: for each process that it confines, the system tries all
// numbers, which took 13 % of the CPU time of a start. And where the conditions of a call do
// not hold, it goes on with an argument in place of the number.
func assemble(filter seccomp.Policy, info *arch.Info) []bpf.Instruction {
	rules := map[uint32][]bpf.Instruction{} // by the number of the call
	conditions := map[uint32][]seccomp.ArgumentConditions{}
	for _, group := range filter.Syscalls {
		for _, name := range group.Names {
			rules[uint32(info.SyscallNames[name])] = result(group.Action)
		}
		for _, rule := range group.NamesWithCondtions { // all of them allow the call
			number := uint32(info.SyscallNames[rule.Name])
			conditions[number] = append(conditions[number], rule.Conditions)
			rules[number] = checks(conditions[number])
		}
	}
	all := spans{{0, result(refusal)}}
	for _, number := range slices.Sorted(maps.Keys(rules)) {
		all.add(number, rules[number])
		if _, ok := rules[number+1]; !ok {
			all.add(number+1, result(refusal))
		}
	}
	if info.ID == arch.X86_64.ID { // the calls of x32 have the same numbers with a further bit
		all.add(uint32(arch.X32.SeccompMask), result(notThere))
	}
	return append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetOfArchitecture, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(info.ID), SkipTrue: 1},
		bpf.RetConstant{Val: uint32(refusal)},
		bpf.LoadAbsolute{Off: offsetOfNumber, Size: 4},
	}, all.search()...)
}

func result(action seccomp.Action) []bpf.Instruction {
	return []bpf.Instruction{bpf.RetConstant{Val: uint32(action)}}
}

// spans are instructions for the numbers of calls, in order: those from the number of one
// to that of the next have the same.
type spans []struct {
	from uint32
	code []bpf.Instruction // it returns
}

// add adds a span, or makes the last one longer.
func (s *spans) add(from uint32, code []bpf.Instruction) {
	last := &(*s)[len(*s)-1]
	switch {
	case slices.Equal(last.code, code):
	case last.from == from:
		last.code = code
	default:
		*s = append(*s, spans{{from, code}}...)
	}
}

// search returns the instructions that execute those of the span of a number.
func (s spans) search() []bpf.Instruction {
	if len(s) == 1 {
		return s[0].code
	}
	upper := s[len(s)/2:]
	lower := s[:len(s)/2].search()
	jump := []bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: upper[0].from, SkipTrue: uint8(len(lower))}}
	if len(lower) > math.MaxUint8 {
		jump = []bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: upper[0].from, SkipFalse: 1}, bpf.Jump{Skip: uint32(len(lower))}}
	}
	return slices.Concat(jump, lower, upper.search())
}

// checks returns the instructions that allow a call if all conditions of one of the lists
// hold.
func checks(lists []seccomp.ArgumentConditions) []bpf.Instruction {
	if argument, values := oneOf(lists); values != nil {
		// The rest of the argument is 0, and the first value that is equal leads to the end.
		code := slices.Concat(load(argument, true), []bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, SkipFalse: uint8(len(values) + 1)}}, load(argument, false))
		for i, value := range values {
			code = append(code, bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: uint8(len(values) - i)})
		}
		return slices.Concat(code, result(refusal), result(seccomp.ActionAllow))
	}
	var code []bpf.Instruction
	for _, all := range lists {
		rest := result(seccomp.ActionAllow)
		for _, one := range slices.Backward(all) {
			rest = append(check(one, uint8(len(rest))), rest...)
		}
		code = append(code, rest...)
	}
	return append(code, result(refusal)...)
}

// oneOf returns the numbers of 32 bits of which an argument must be one, or nil if that is
// not what the conditions say.
func oneOf(lists []seccomp.ArgumentConditions) (argument uint32, values []uint32) {
	argument = lists[0][0].Argument
	for _, all := range lists {
		if len(all) > 1 || all[0].Operation != seccomp.Equal || all[0].Argument != argument || all[0].Value>>32 != 0 {
			return 0, nil
		}
		values = append(values, uint32(all[0].Value))
	}
	return argument, values
}

// check returns the instructions that skip a number of others if a condition does not hold.
func check(c seccomp.Condition, skip uint8) []bpf.Instruction {
	high, low := uint32(c.Value>>32), uint32(c.Value)
	var first, second bpf.JumpIf
	switch c.Operation {
	case seccomp.Equal:
		first = bpf.JumpIf{Cond: bpf.JumpEqual, Val: high, SkipFalse: skip + 2}
		second = bpf.JumpIf{Cond: bpf.JumpEqual, Val: low, SkipFalse: skip}
	case seccomp.BitsSet: // any of them
		first = bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: high, SkipTrue: 2}
		second = bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: low, SkipFalse: skip}
	case seccomp.BitsNotSet:
		first = bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: high, SkipTrue: skip + 2}
		second = bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: low, SkipTrue: skip}
	default:
		panic("no rule needs " + c.Operation)
	}
	code := append(load(c.Argument, false), second)
	if high == 0 && c.Operation != seccomp.Equal {
		return code // the other half does not matter
	}
	return slices.Concat(load(c.Argument, true), []bpf.Instruction{first}, code)
}

// Offsets in what a filter sees, in bytes.
const (
	offsetOfNumber       = 0
	offsetOfArchitecture = 4
	offsetOfArguments    = 16
)

// load returns the instruction that loads one half of an argument.
func load(argument uint32, high bool) []bpf.Instruction {
	offset := offsetOfArguments + 8*argument
	if littleEndian := binary.NativeEndian.Uint16([]byte{1, 0}) == 1; high == littleEndian {
		offset += 4
	}
	return []bpf.Instruction{bpf.LoadAbsolute{Off: offset, Size: 4}}
}
