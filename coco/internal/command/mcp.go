package command

import (
	"context"
	"strings"

	"colosseum/coco/internal/mcp"
	"colosseum/internal/buildinfo"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/urfave/cli/v3"
)

// maxModelLine limits a message of the model's client, in bytes.
const maxModelLine = 1 << 20

func mcpCommand() *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "let a language model play: serve the Model Context Protocol on stdin and stdout",
		Description: "A client of the protocol, such as a chat program, starts it. Its tools list games and matches, take\n" +
			"seats, and play. It ends when stdin ends; the seats can be taken up again for a minute.",
		Action: serveModel,
	}
}

func serveModel(ctx context.Context, cmd *cli.Command) error {
	if _, err := arguments(cmd, 0, 0); err != nil {
		return err
	}
	d, err := newPlayerDialer(cmd)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	s := &mcp.Server{Version: strings.TrimPrefix(buildinfo.Describe("coco"), "coco "), Dial: d.dial, Create: d.create}
	return s.Run(ctx, &sdk.StdioTransport{MaxLineLength: maxModelLine})
}
