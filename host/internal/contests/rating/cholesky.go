package rating

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// routines is gonum's LAPACK. Package mat calls it through an interface, which makes the
// host larger by 1.2 MB, because the linker then keeps all routines.
var routines gonum.Implementation

// maxCondition is the condition number above which solutions are too inexact.
const maxCondition = 1e16

// cholesky is the factor U of a symmetric positive definite matrix U'U, row by row. Only
// its upper triangle counts.
type cholesky struct {
	n    int
	u    []float64
	cond float64 // condition number of the matrix
}

// factor computes the factor of a matrix given by the upper triangle of its n rows, which it
// overwrites. It is not ok if the matrix is not positive definite.
func factor(n int, a []float64) (c *cholesky, ok bool) {
	work := make([]float64, 3*n)
	norm := routines.Dlansy(lapack.MaxColumnSum, blas.Upper, n, a, n, work)
	if !routines.Dpotrf(blas.Upper, n, a, n) {
		return nil, false
	}
	return &cholesky{n, a, 1 / routines.Dpocon(blas.Upper, n, a, n, norm, work, make([]int, n))}, true
}

// solve replaces b by x with U'U x = b. It is not ok if rounding errors would be too large.
func (c *cholesky) solve(b []float64) (ok bool) {
	routines.Dpotrs(blas.Upper, c.n, 1, c.u, c.n, b, 1)
	return c.cond <= maxCondition
}

// inverseLengths replaces U by its inverse, and returns the squared length of each row. It
// is not ok if U is singular.
func (c *cholesky) inverseLengths() (squares []float64, ok bool) {
	if !routines.Dtrtri(blas.Upper, blas.NonUnit, c.n, c.u, c.n) {
		return nil, false
	}
	for i := range c.n {
		row := c.u[i*c.n+i : (i+1)*c.n]
		squares = append(squares, floats.Dot(row, row))
	}
	return squares, true
}
