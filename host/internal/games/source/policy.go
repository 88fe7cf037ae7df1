package source

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/sandbox"
)

// Policy returns what the process of the game can use: its folder, what its program
// needs to run, and its exceptions from the configuration, but never the host's data
// and secrets or the folders of other games. The level is that of the configuration.
func (s Source) Policy(cfg *config.Config, command []string) (sandbox.Level, sandbox.Policy, error) {
	level := sandbox.Level(cfg.Plugins.Isolation)
	own := cfg.Plugins.Exceptions[s.Name]
	policy := sandbox.Policy{
		Listen: true, Network: own.Network, Processes: own.Processes, Memory: cfg.Plugins.MemoryMB << 20, FileBytes: own.TemporaryMB << 20,
	}
	if level == sandbox.Off || !sandbox.Supported().Launcher {
		return level, policy, nil
	}
	needs, err := s.needs(cfg, command[0])
	if err != nil {
		return level, policy, fmt.Errorf("it can't be confined: %w", err)
	}
	forbidden := []string{}
	for _, path := range append([]string{cfg.Data, cfg.VerificationPasswordFile, cfg.TLS.Key, cfg.Players.OIDC.ClientSecretFile}, cfg.Plugins.Folders...) {
		if real, err := sandbox.RealPath(path); err == nil && path != "" {
			forbidden = append(forbidden, real)
		}
	}
	dir, err := sandbox.RealPath(s.Dir)
	if err != nil {
		return level, policy, err
	}
	policy.Execute = sandbox.Without(needs.Execute, forbidden)
	policy.Read = sandbox.Without(slices.Concat(needs.Read, sandbox.WithoutLinks(own.Read)), forbidden)
	if s.Mode(cfg) == modeProgram || own.Processes {
		policy.Execute = slices.Concat(policy.Execute, []string{dir}, sandbox.Without(sandbox.WithoutLinks(cfg.Plugins.Libraries), forbidden))
	} else {
		policy.Read = append(policy.Read, dir)
	}
	if s.Mode(cfg) != modeProgram { // else it is in the folder
		program, err := sandbox.RealPath(command[0])
		if err != nil {
			return level, policy, err
		}
		policy.Execute = append(policy.Execute, program)
	}
	return level, policy, nil
}

// Settings returns all settings on which the policy depends, as a text to compare.
func (s Source) Settings(cfg *config.Config) string {
	return fmt.Sprintf("%s %q %d %+v", cfg.Plugins.Isolation, cfg.Plugins.Libraries, cfg.Plugins.MemoryMB, cfg.Plugins.Exceptions[s.Name])
}

// Rights describes the game's exceptions for its players, in Markdown; empty: it has
// none.
func (s Source) Rights(cfg *config.Config) string {
	own := cfg.Plugins.Exceptions[s.Name]
	var rights []string
	for _, path := range own.Read {
		rights = append(rights, "read `"+strings.ReplaceAll(path, "`", "'")+"`")
	}
	if own.Network {
		rights = append(rights, "use the network")
	}
	if own.Processes {
		rights = append(rights, "start programs")
	}
	if own.TemporaryMB > 0 {
		rights = append(rights, fmt.Sprintf("keep up to %d MiB of temporary files", own.TemporaryMB))
	}
	if len(rights) == 0 || sandbox.Level(cfg.Plugins.Isolation) == sandbox.Off {
		return ""
	}
	last := len(rights) - 1
	list := rights[last]
	if last > 0 {
		list = strings.Join(rights[:last], ", ") + " and " + list
	}
	return "\n\nOn this host the game can " + list + ".\n"
}

// needs returns what the game's program needs.
func (s Source) needs(cfg *config.Config, program string) (sandbox.Needs, error) {
	if s.Mode(cfg) != modeProgram {
		return sandbox.Examine(program)
	}
	dir, err := sandbox.RealPath(s.Dir)
	if err != nil {
		return sandbox.Needs{}, err
	}
	// The folder was checked when it was examined, but can have changed since.
	real, err := sandbox.RealPath(program)
	if err != nil || !sandbox.Within(real, dir) {
		return sandbox.Needs{}, fmt.Errorf("%s is not a file of the game's folder", program)
	}
	needs, err := sandbox.Examine(real, append([]string{dir}, cfg.Plugins.Libraries...)...)
	if err == nil && !slices.Contains(needs.Execute, real) {
		return sandbox.Needs{}, fmt.Errorf("%s was replaced by a link while it was examined", program)
	}
	if err != nil && !os.IsNotExist(err) {
		err = fmt.Errorf("%w; if it needs an interpreter that is installed elsewhere, name its folder in plugins.libraries", err)
	}
	return needs, err
}
