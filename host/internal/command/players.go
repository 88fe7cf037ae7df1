package command

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/base/disk"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/records/store"
	"colosseum/internal/terminal"
)

// maxInvites is how many invitations one command creates.
const maxInvites = 1000

func playersCommand() *cli.Command {
	out := []cli.Flag{&cli.StringFlag{Name: "out", Usage: "write what is secret to a new `FILE` that only you can read, instead of printing it"}}
	c := &cli.Command{
		Name:        "players",
		Usage:       "register players and give them tokens",
		Description: "The commands work while a host runs and without one. They print new tokens as lines NAME,TOKEN, or write them to the file of --out; a token cannot be shown again.",
		Commands: []*cli.Command{
			{Name: "add", Usage: "register players", ArgsUsage: "NAME...", Action: addPlayers, Flags: out},
			{Name: "import", Usage: "register all players of a CSV file: its column name, or its first one; real_name and class are for organizers", ArgsUsage: "FILE.csv", Action: importPlayers, Flags: append([]cli.Flag{
				&cli.BoolFlag{Name: "update", Usage: "also change real names and classes of players that exist, instead of refusing them"},
			}, out...)},
			{Name: "list", Usage: "list all players", Action: listPlayers, Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}}},
			classCommand(),
			{Name: "reset", Usage: "give players new tokens instead of their old ones", ArgsUsage: "NAME...", Action: resetPlayers, Flags: out},
			{Name: "remove", Usage: "delete the tokens of players; nobody else gets their names", ArgsUsage: "NAME...", Action: removePlayers},
			{Name: "rename", Usage: "give a player another name; the old one stays reserved for it", ArgsUsage: "OLD NEW", Action: renamePlayer},
			{Name: "tokens", Usage: "list the tokens of a player beside that of its registration, or revoke some", ArgsUsage: "NAME", Action: playerTokens, Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "revoke", Usage: "make the token with this `ID` invalid"},
				&cli.BoolFlag{Name: "all", Usage: "make all of them invalid"},
				&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			}},
			{Name: "invite", Usage: "print new invitations, each for one registration", Action: invitePlayers, Flags: append([]cli.Flag{
				&cli.IntFlag{Name: "n", Value: 1, Usage: "create `N` invitations"},
			}, out...)},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return fmt.Errorf("players has no command %q: see host players --help", cmd.Args().First())
			}
			return cli.ShowSubcommandHelp(cmd)
		},
	}
	for _, sub := range c.Commands {
		sub.OnUsageError = badUsage
	}
	return c
}

// openPlayers opens the players, and returns where they are, without a password. With
// create it creates the data folder and the file, if there are none.
func openPlayers(ctx context.Context, cmd *cli.Command, create bool) (r *players.Registry, at string, closeAll func(), err error) {
	c, err := source(cmd).Load()
	if err != nil {
		return nil, "", nil, err
	}
	if create && !config.InPostgres(c.StoreAt()) {
		if err := disk.MakeData(c.Data); err != nil {
			return nil, "", nil, err
		}
	} else if err := present(c, "players"); err != nil {
		return nil, "", nil, err
	}
	file, err := store.OpenPlayers(ctx, c.StoreAt(), toolLog(cmd))
	if err != nil {
		return nil, "", nil, err
	}
	return players.New(file, playerSettings(c), toolLog(cmd)), config.ShowStore(c.StoreAt()), func() { _ = file.Close() }, nil
}

// playerSettings returns the only setting that counts for the operator.
func playerSettings(c *config.Config) players.Settings {
	return players.Settings{Reserved: c.Players.Reserved}
}

func addPlayers(ctx context.Context, cmd *cli.Command) error {
	names := cmd.Args().Slice()
	if len(names) == 0 {
		return errors.New("add takes the names of players: host players add NAME...")
	}
	list := &players.List{}
	for _, name := range names {
		list.Entries = append(list.Entries, players.Entry{Name: name})
	}
	return register(ctx, cmd, list, func(int) string { return "" })
}

func importPlayers(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() != 1 {
		return fmt.Errorf("import takes one file, got %d: host players import FILE.csv", cmd.Args().Len())
	}
	path := cmd.Args().First()
	file, err := readRegular(path, players.MaxList)
	if err != nil {
		return err
	}
	list, err := players.ReadList(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if list.Unread != "" {
		fmt.Fprintln(os.Stderr, terminal.Clean(path+": "+list.Unread))
	}
	return register(ctx, cmd, list, func(i int) string { return fmt.Sprintf("%s:%d: ", path, list.Entries[i].Line) })
}

// readRegular returns the content of a regular file; of a longer one, most+1 bytes.
func readRegular(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer must not block
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return io.ReadAll(io.LimitReader(f, most+1))
}

// register registers players and prints their tokens, or prints all problems, each
// with its place.
func register(ctx context.Context, cmd *cli.Command, list *players.List, place func(index int) string) error {
	r, at, closeAll, err := openPlayers(ctx, cmd, true)
	if err != nil {
		return err
	}
	defer closeAll()
	to, err := openSecrets(cmd)
	if err != nil {
		return err
	}
	defer to.close()
	issued, updated, err := r.Import(ctx, list, cmd.Bool("update"))
	var problems players.ProblemsError
	if errors.As(err, &problems) {
		for _, p := range problems {
			fmt.Fprintln(os.Stderr, terminal.Clean(place(p.Index)+p.Text))
		}
		return failure(len(problems), "no player was registered: %d problem", "no player was registered: %d problems")
	}
	if err != nil {
		return err
	}
	if updated > 0 {
		fmt.Fprintln(os.Stderr, count(updated), terminal.Clean("updated in "+at))
	}
	if len(issued) == 0 && updated > 0 { // there is no token
		return nil
	}
	return to.write(issued, fmt.Sprintf("registered in %s", at))
}

// secrets is where a command writes tokens and invitations: on stdout, or in a new file that
// only the user can read.
type secrets struct {
	io.Writer
	file *os.File // nil: there is none
	kept bool
}

// openSecrets creates the file of --out, if there is one, before anything is changed.
func openSecrets(cmd *cli.Command) (*secrets, error) {
	path := cmd.String("out")
	if path == "" {
		return &secrets{Writer: cmd.Root().Writer}, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s exists already: name a new file with --out", path)
	}
	if err != nil {
		return nil, err
	}
	return &secrets{Writer: f, file: f}, nil
}

// close removes a file in which nothing was written.
func (s *secrets) close() {
	if s.file != nil && !s.kept {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// keep completes the file. It must be called after the last secret was written, with the
// error of writing.
func (s *secrets) keep(err error) error {
	s.kept = true
	if s.file != nil {
		err = errors.Join(err, s.file.Sync(), s.file.Close())
	}
	return err
}

// write writes tokens, and says on stderr what was done.
func (s *secrets) write(issued []players.Issued, done string) error {
	w := csv.NewWriter(s)
	for _, i := range issued {
		_ = w.Write([]string{i.Name, i.Token}) // Error returns it
	}
	w.Flush()
	if err := s.keep(w.Error()); err != nil {
		return fmt.Errorf("%s %s, but not all tokens could be written: host players reset gives new ones: %w", count(len(issued)), done, err)
	}
	if s.file != nil {
		done += fmt.Sprintf("; only you can read %s", s.file.Name())
	}
	fmt.Fprintln(os.Stderr, count(len(issued)), terminal.Clean(done))
	return nil
}

func count(players int) string {
	if players == 1 {
		return "1 player"
	}
	return fmt.Sprintf("%d players", players)
}

func listPlayers(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	r, _, closeAll, err := openPlayers(ctx, cmd, false)
	if err != nil {
		return err
	}
	defer closeAll()
	list, err := r.List(ctx)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return printPlayersJSON(cmd.Root().Writer, list)
	}
	head := []string{"name", "created", "last seen", "state"}
	classes := slices.ContainsFunc(list, func(p store.Player) bool { return p.RealName != "" || p.Class != "" })
	if classes {
		head = append(head, "real name", "class")
	}
	var rows [][]string
	for _, p := range list {
		seen, state := "never", "active"
		if !p.Seen.IsZero() {
			seen = p.Seen.Local().Format(time.DateTime)
		}
		if p.Removed {
			state = "removed"
		}
		row := []string{terminal.Clean(p.Name), p.Created.Local().Format(time.DateTime), seen, state}
		if classes {
			row = append(row, terminal.Clean(p.RealName), terminal.Clean(p.Class))
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(cmd.Root().Writer, terminal.Table(head, rows))
	return nil
}

func printPlayersJSON(w io.Writer, list []store.Player) error {
	type player struct {
		Name    string    `json:"name"`
		Created time.Time `json:"created"`
		Seen    time.Time `json:"seen,omitzero"`
		Removed bool      `json:"removed,omitempty"`

		RealName string `json:"real_name,omitempty"`
		Class    string `json:"class,omitempty"`
	}
	all := []player{} // not null
	for _, p := range list {
		all = append(all, player(p))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(all)
}

func resetPlayers(ctx context.Context, cmd *cli.Command) error {
	names := cmd.Args().Slice()
	if len(names) == 0 {
		return errors.New("reset takes the names of players: host players reset NAME...")
	}
	r, at, closeAll, err := openPlayers(ctx, cmd, false)
	if err != nil {
		return err
	}
	defer closeAll()
	to, err := openSecrets(cmd)
	if err != nil {
		return err
	}
	defer to.close()
	issued, err := r.Reset(ctx, names)
	if err != nil {
		return fmt.Errorf("no token was changed: %w", err)
	}
	return to.write(issued, fmt.Sprintf("given new tokens in %s", at))
}

func removePlayers(ctx context.Context, cmd *cli.Command) error {
	names := cmd.Args().Slice()
	if len(names) == 0 {
		return errors.New("remove takes the names of players: host players remove NAME...")
	}
	r, at, closeAll, err := openPlayers(ctx, cmd, false)
	if err != nil {
		return err
	}
	defer closeAll()
	removed, err := r.Remove(ctx, names)
	if err != nil {
		return fmt.Errorf("no player was removed: %w", err)
	}
	fmt.Fprintln(os.Stderr, count(len(removed)), "removed in", terminal.Clean(at))
	return nil
}

func invitePlayers(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	n := cmd.Int("n")
	if n < 1 || n > maxInvites {
		return fmt.Errorf("-n must be 1 to %d, got %d", maxInvites, n)
	}
	r, _, closeAll, err := openPlayers(ctx, cmd, true)
	if err != nil {
		return err
	}
	defer closeAll()
	to, err := openSecrets(cmd)
	if err != nil {
		return err
	}
	defer to.close()
	codes, err := r.Invite(ctx, n)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(to, strings.Join(codes, "\n"))
	return to.keep(err)
}
