package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/engine"
	"colosseum/sdk/driver"
)

// Offer is a game as clients see it: a version of a plugin, possibly under
// another name and with other defaults. It is immutable.
type Offer struct {
	Name, Title string
	Rules       string // Markdown
	Params      []driver.Param
	Plugin      string
	Version     string
	Engine      Engine
	Unavailable string // why the game can't be played now; empty: it can
	Preparing   bool   // it is unavailable because its first version is compiled or started
	Dir         string // the plugin's folder, absolute; it can hold a viewer.js
	Picture     string // the file in Dir that can hold its picture

	MinPlayers, MaxPlayers, MaxBots int
	Timeout                         float64 // default in seconds
	Delay                           float64 // seconds by which spectators see a running match later
	Ponder                          bool    // programs of the host can think while they are not asked
	MaxLine                         int     // bytes of a player's line, if the host's limit is lower; 0: that limit holds
	Judged                          bool    // the referee can judge positions

	Life Life // of the process behind Engine; nil in tests without one

	fixed   map[string]string // by parameter; nil: it is the plugin's own offer
	changed map[string]string // defaults that differ from the plugin's
}

// Life controls how long one version of a game stays in its process.
type Life interface {
	// Hold keeps the process alive until release is called, even after a newer
	// version has replaced this one. Replaced, which must not block, is called
	// when that happens or the game is withdrawn. If it has already happened, ok
	// is false: find the game again.
	Hold(replaced func()) (release func(), ok bool)
	// Stuck reports a referee that never ends and can't be stopped. New matches
	// of the version get a new process.
	Stuck()
}

// Hold implements Life.
func (o *Offer) Hold(replaced func()) (release func(), ok bool) {
	if o.Life == nil {
		return func() {}, true
	}
	return o.Life.Hold(replaced)
}

// Stuck implements Life.
func (o *Offer) Stuck() {
	if o.Life != nil {
		o.Life.Stuck()
	}
}

// Hold finds a game and keeps its version alive until release is called. Replaced,
// which must not block, is called when a newer version has replaced it.
func Hold(find func(name string) (*Offer, error), name string, replaced func()) (offer *Offer, release func(), err error) {
	for {
		if offer, err = find(name); err != nil {
			return nil, nil, err
		}
		if release, ok := offer.Hold(replaced); ok {
			return offer, release, nil
		}
		// It was replaced after find, which now returns the new version.
	}
}

// paceParameter is the parameter of a game that pauses, so that people can follow.
const paceParameter = "pace"

// Unpace sets the argument of a request that keeps the game from pausing between moves,
// unless the request has it. It reports whether it has set it.
func (o *Offer) Unpace(args map[string]string) bool {
	if _, given := args[paceParameter]; given {
		return false
	}
	for _, p := range o.Params {
		if p.Name != paceParameter {
			continue
		}
		if none, err := p.Normalize("0"); err == nil && none != p.Default {
			args[paceParameter] = none
			return true
		}
	}
	return false
}

// Failed reports whether an error of Prepare is a fault of the game's process, and
// not the game's answer to the request. Another attempt can succeed.
func Failed(err error) bool {
	_, failed := errors.AsType[*engine.Fault](err)
	return failed
}

// Engine plays the matches of an offer: an *engine.Game, or a test's fake.
type Engine interface {
	Prepare(ctx context.Context, r driver.Request) (driver.Settings, error)
	Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error)
}

// named returns the offer of a named game: the plugin's own, with the changes of
// the configuration.
func (o Offer) named(name string, c config.Game, rules string) (*Offer, error) {
	o.Name, o.Rules = name, rules
	if c.Title != "" {
		o.Title = c.Title
	}
	if c.Timeout != 0 {
		if !(c.Timeout >= driver.MinTimeout && c.Timeout <= driver.MaxTimeout) {
			return nil, fmt.Errorf("timeout: %v is not from %v to %v seconds", c.Timeout, driver.MinTimeout, driver.MaxTimeout)
		}
		o.Timeout = c.Timeout
	}
	if c.MaxBots != nil {
		if *c.MaxBots < 0 || *c.MaxBots > o.MaxBots {
			return nil, fmt.Errorf("max_bots: %d is not from 0 to the plugin's own %d", *c.MaxBots, o.MaxBots)
		}
		o.MaxBots = *c.MaxBots
	}
	if c.Delay != 0 {
		if !(c.Delay >= o.Delay && c.Delay <= driver.MaxDelay) {
			return nil, fmt.Errorf("delay: %v is not from the plugin's own %v to %d seconds", c.Delay, o.Delay, driver.MaxDelay)
		}
		o.Delay = c.Delay
	}
	changed := maps.Clone(o.changed)
	o.fixed, o.changed = map[string]string{}, map[string]string{}
	maps.Copy(o.changed, changed)
	known := o.Params
	o.Params = nil
	for _, p := range known {
		change, ok := c.Params[p.Name]
		if !ok {
			o.Params = append(o.Params, p)
			continue
		}
		if change.Fixed != nil {
			norm, err := p.Normalize(*change.Fixed)
			if err != nil {
				return nil, fmt.Errorf("params: %w", err)
			}
			o.fixed[p.Name] = norm
			continue
		}
		narrow, err := narrowed(p, change)
		if err != nil {
			return nil, fmt.Errorf("params: %s: %w", p.Name, err)
		}
		if narrow.Default != p.Default {
			o.changed[p.Name] = narrow.Default
		}
		o.Params = append(o.Params, narrow)
	}
	for i := range o.Params { // those that were only for a value that is fixed now
		for _, value := range o.fixed {
			o.Params[i].Description = strings.TrimPrefix(o.Params[i].Description, value+": ")
		}
	}
	for param := range c.Params {
		if !slices.ContainsFunc(known, func(p driver.Param) bool { return p.Name == param }) {
			return nil, fmt.Errorf("params: the plugin %s has no parameter %q (have %s)", o.Plugin, param, names(known))
		}
	}
	return &o, nil
}

// restrict applies the limits of the configuration to the plugin's own offer.
func (o *Offer) restrict(p config.Plugins) {
	o.limitThink(p.Think)
	o.Delay = max(o.Delay, p.Delays[o.Plugin].Seconds())
}

// limitThink limits the parameter with which players choose how long bots think. A
// parameter that begins above the limit accepts only its least value.
func (o *Offer) limitThink(limit time.Duration) {
	i := slices.IndexFunc(o.Params, func(p driver.Param) bool { return p.Name == driver.ThinkParam && p.Kind == driver.KindFloat })
	if i < 0 || o.Params[i].Max <= limit.Seconds() {
		return
	}
	o.Params = slices.Clone(o.Params) // the plugin's own stay
	p := &o.Params[i]
	p.Max = max(p.Min, limit.Seconds())
	if _, err := p.Normalize(p.Default); err != nil {
		p.Default = strconv.FormatFloat(p.Max, 'f', -1, 64)
		o.changed = map[string]string{p.Name: p.Default}
	}
}

// narrowed returns a parameter with a smaller range or another default.
func narrowed(p driver.Param, c config.Param) (driver.Param, error) {
	wide := p
	if c.Min != nil {
		p.Min = *c.Min
	}
	if c.Max != nil {
		p.Max = *c.Max
	}
	switch {
	case (c.Min != nil || c.Max != nil || c.Choices != nil) && p.Kind == driver.KindText:
		return p, errors.New("it is a text: it has no min, max and choices; use default or fixed")
	case (c.Min != nil || c.Max != nil) && p.Kind == driver.KindChoice:
		return p, errors.New("min and max are for numbers: use choices")
	case c.Choices != nil && p.Kind != driver.KindChoice:
		return p, errors.New("choices are for words: use min and max")
	case p.Min < wide.Min || p.Max > wide.Max || p.Min > p.Max:
		return p, fmt.Errorf("a range from %v to %v is not within %s", p.Min, p.Max, wide.Range())
	}
	if c.Choices != nil {
		for _, choice := range c.Choices {
			if _, err := wide.Normalize(choice); err != nil {
				return p, err
			}
		}
		p.Choices, p.Default = c.Choices, c.Choices[0]
	}
	if c.Default != nil {
		p.Default = *c.Default
	}
	norm, err := p.Normalize(p.Default)
	if err != nil {
		return p, fmt.Errorf("its default does not fit: %w: give another default", err)
	}
	p.Default = norm
	return p, nil
}

func names(params []driver.Param) string {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = p.Name
	}
	return strings.Join(list, ", ")
}

// Fixed returns the parameters that this offer sets and requests can't change.
func (o *Offer) Fixed() map[string]string { return maps.Clone(o.fixed) }

// Prepare checks and completes a request for a match.
func (o *Offer) Prepare(ctx context.Context, r driver.Request) (driver.Settings, error) {
	args := make(map[string]string, len(r.Args)+len(o.fixed)+len(o.changed))
	maps.Copy(args, o.changed)
	for _, name := range slices.Sorted(maps.Keys(r.Args)) { // sorted, so that the error is always the same
		value := r.Args[name]
		if fixed, ok := o.fixed[name]; ok && fixed != value {
			return driver.Settings{}, fmt.Errorf("the parameter %s of %s is always %s", name, o.Name, fixed)
		}
		if i := slices.IndexFunc(o.Params, func(p driver.Param) bool { return p.Name == name }); i >= 0 {
			// Checked here too, because a game in another language might accept
			// values outside the range that clients see.
			norm, err := o.Params[i].Normalize(value)
			if err != nil {
				return driver.Settings{}, err
			}
			value = norm
		}
		args[name] = value
	}
	maps.Copy(args, o.fixed)
	r.Args = args
	if o.fixed != nil && r.Bots > o.MaxBots {
		return driver.Settings{}, fmt.Errorf("Cannot create game with %d bots: %s takes from 0 to %d", r.Bots, o.Name, o.MaxBots)
	}
	if err := o.checkLevels(r); err != nil {
		return driver.Settings{}, err
	}
	if r.Timeout == nil && o.Timeout > 0 {
		r.Timeout = &o.Timeout
	}
	settings, err := o.Engine.Prepare(ctx, r)
	if errors.Is(err, engine.ErrSilent) {
		o.Stuck()
	}
	return settings, err
}

// checkLevels checks the levels of a request's bots.
func (o *Offer) checkLevels(r driver.Request) error {
	if len(r.Levels) > r.Bots {
		return fmt.Errorf("more levels (%d) than bots (%d)", len(r.Levels), r.Bots)
	}
	for _, level := range r.Levels {
		i := slices.IndexFunc(o.Params, func(p driver.Param) bool { return p.Name == driver.BotParam && p.Kind == driver.KindChoice })
		fixed, always := o.fixed[driver.BotParam]
		switch {
		case level == "" || always && level == fixed:
		case always:
			return fmt.Errorf("the parameter %s of %s is always %s", driver.BotParam, o.Name, fixed)
		case i < 0:
			return fmt.Errorf("the bots of %s have no levels, so none is %q", o.Name, driver.Shorten(level))
		default:
			if _, err := o.Params[i].Normalize(level); err != nil {
				return err
			}
		}
	}
	return nil
}
