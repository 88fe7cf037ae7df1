package config

// Source is where a configuration comes from.
type Source struct {
	Path     string        // of a file; empty: the defaults
	Override func(*Config) // changes what was read, like flags do; may be nil
}

// Load reads the configuration.
func (s Source) Load() (*Config, error) {
	c := Default()
	if s.Path != "" {
		var err error
		if c, err = Load(s.Path); err != nil {
			return nil, err
		}
	}
	if s.Override != nil {
		s.Override(c)
	}
	return c, nil
}
