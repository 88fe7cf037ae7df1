package player

import (
	"context"
	"errors"
	"os"

	"colosseum/internal/locale"
)

type pipes struct{ in, out string }

func makePipes(bool) (*pipes, error) {
	return nil, locale.Errorf(`the channel "pipe" does not exist on Windows: it has no named pipes in folders; use "stdio"`)
}

func (*pipes) open(context.Context) (in, out *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}
func (*pipes) endOutput() {}
func (*pipes) remove()    {}
