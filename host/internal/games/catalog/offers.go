package catalog

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/source"
)

var errTaken = errors.New("this is the name of a plugin: give the game another")

// List returns all offers, sorted by name.
func (c *Catalog) List() []*Offer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(maps.Values(c.offers), func(a, b *Offer) int { return strings.Compare(a.Name, b.Name) })
}

// Generation identifies a state of the offers: a list that is read after a call
// of Generation is current as long as Generation returns the same number.
func (c *Catalog) Generation() uint64 { return c.generation.Load() }

// Describe returns the description of a game in Markdown.
func (c *Catalog) Describe(name string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o, ok := c.offers[name]; ok {
		return o.Rules, true
	}
	return "", false
}

// ErrUnknown is the error of Find for a game that does not exist. Programs compare
// its text.
var ErrUnknown = errors.New("Game not found")

// Find returns the offer of a game that can be played. The error is for the
// client.
func (c *Catalog) Find(name string) (*Offer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, ok := c.offers[name]
	switch {
	case !ok && !c.isReady():
		return nil, errors.New("Game not found yet: the host is still loading its games, try again in a moment")
	case !ok:
		return nil, ErrUnknown
	case o.Unavailable != "" && o.Engine == nil:
		return nil, fmt.Errorf("the game %s is unavailable: %s, try again in a minute", name, o.Unavailable)
	case o.Unavailable != "":
		return nil, fmt.Errorf("the game %s is unavailable: %s", name, o.Unavailable)
	}
	return o, nil
}

// update calls change with mu held and makes the offers again. Errors of named
// games become their problems.
func (c *Catalog) update(change func(cfg *config.Config)) {
	c.updating.Lock()
	defer c.updating.Unlock()
	c.mu.Lock()
	change(c.config)
	cfg := c.config
	taken := map[string]bool{} // names of plugins
	var plugins []plugin       // copies, of those that are shown
	for name, p := range c.plugins {
		taken[name] = p.known
		if p.current != nil || p.reason != "" {
			plugins = append(plugins, plugin{name: p.name, dir: p.dir, title: p.title, current: p.current, reason: p.reason})
		}
	}
	c.mu.Unlock()

	offers, problems := map[string]*Offer{}, map[string]error{}
	add := func(o *Offer, reason string) {
		o.Unavailable = reason
		offers[o.Name] = o
	}
	for _, p := range plugins {
		own := p.placeholder(p.name, config.Game{})
		if p.current != nil {
			o := p.current.own
			o.restrict(cfg.Plugins)
			o.Rules = p.current.rules() + p.current.rights
			own = &o
		}
		add(own, p.reason)
		for name, g := range cfg.Games {
			switch {
			case g.Plugin != p.name:
			case p.current == nil:
				if !taken[name] {
					add(p.placeholder(name, g), p.reason)
				}
			case taken[name]:
				problems[name] = errTaken
			default:
				if o, err := p.current.named(name, g, cfg.Plugins); err != nil {
					problems[name] = err
				} else {
					add(o, p.reason)
				}
			}
		}
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.offers = offers
	c.generation.Add(1)
	for name := range cfg.Games {
		old := c.problems[name]
		delete(c.problems, name)
		if err := problems[name]; err != nil {
			if old == nil || old.Error() != err.Error() {
				c.log.Error(couldNotLoad, "game", name, "error", err)
			}
			c.problems[name] = err
		}
	}
}

// placeholder returns the offer of a plugin, or of a game named on top of it,
// until its first version is loaded.
func (p *plugin) placeholder(name string, g config.Game) *Offer {
	picture, _ := pictureOf(g) // the error is shown when the first version is loaded
	title := g.Title
	if title == "" {
		title = p.title
	}
	return &Offer{
		Name: name, Title: title, Preparing: true, Plugin: p.name, Dir: p.dir, Picture: picture,
		Rules: fmt.Sprintf("The game %s can't be played yet: %s. Try again in a minute.\n", name, p.reason),
	}
}

// pictureOf returns the file of the picture of a game in its plugin's folder.
func pictureOf(g config.Game) (string, error) {
	switch {
	case g.Picture == "":
		return source.PictureFile, nil
	case !filepath.IsLocal(g.Picture):
		return "", fmt.Errorf("picture: %q is not a path inside the plugin's folder", g.Picture)
	}
	return filepath.ToSlash(g.Picture), nil
}

// named returns the offer of a named game on top of this version, within the limits of the
// configuration.
func (v *version) named(name string, g config.Game, limits config.Plugins) (*Offer, error) {
	picture, err := pictureOf(g)
	if err != nil {
		return nil, err
	}
	rules := v.rules()
	if g.Rules != "" {
		if !filepath.IsLocal(g.Rules) {
			return nil, fmt.Errorf("rules: %q is not a path inside the plugin's folder", g.Rules)
		}
		t := v.text(g.Rules)
		if t.Fault != "" {
			return nil, fmt.Errorf("rules: %s", t.Fault)
		}
		rules = t.Markdown
	}
	own := v.own
	own.restrict(limits)
	o, err := own.named(name, g, rules+v.rights)
	if err != nil {
		return nil, err
	}
	o.Picture = picture
	return o, nil
}

// WhyScript returns why a plugin in Go runs as a script although the configuration does
// not say so; empty: it does not.
func (c *Catalog) WhyScript(plugin string) string {
	if v := c.currentVersion(plugin); v != nil {
		return v.why
	}
	return ""
}
