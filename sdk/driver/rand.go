package driver

import "math/bits"

// Rand is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators", 2014): the same on every machine and in every language, so
// that a recorded match can be played again. It is not for secrets.
type Rand struct{ state uint64 }

// Streams of random numbers from the seed of a match.
const (
	StreamReferee = 0       // Match.Rand
	StreamSeats   = 1       // the seat of each player
	StreamBots    = 2       // the bot on seat s uses StreamBots + s
	StreamJudge   = 1 << 32 // Judge.Rand
)

const golden = 0x9e3779b97f4a7c15

// NewRand returns the generator of one stream of a seed. Stream 0 is plain
// SplitMix64 with that seed; the others start from a mixed seed.
func NewRand(seed, stream uint64) *Rand {
	if stream == 0 {
		return &Rand{state: seed}
	}
	return &Rand{state: mix(seed ^ mix(stream*golden))}
}

// Uint64 returns the next 64 bits.
func (r *Rand) Uint64() uint64 {
	r.state += golden
	return mix(r.state)
}

// Intn returns a number from 0 to n-1, each with the same chance. It panics if n
// is below 1. It uses Lemire's multiplication with rejection ("Fast random
// integer generation in an interval", 2019).
func (r *Rand) Intn(n int) int {
	if n < 1 {
		panic("sdk: Rand wants a number above 0")
	}
	hi, lo := bits.Mul64(r.Uint64(), uint64(n))
	if lo < uint64(n) {
		reject := -uint64(n) % uint64(n)
		for lo < reject {
			hi, lo = bits.Mul64(r.Uint64(), uint64(n))
		}
	}
	return int(hi)
}

// Perm returns the numbers 0 to n-1 in random order (Fisher and Yates, from the
// end).
func (r *Rand) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := r.Intn(i + 1)
		p[i], p[j] = p[j], p[i]
	}
	return p
}

func mix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}
