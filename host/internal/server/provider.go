package server

import (
	"fmt"
	"log/slog"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/clients/provider"
	"colosseum/host/internal/clients/site"
)

// addProvider adds the login provider of a configuration. It asks the provider nothing, so the
// host also starts without it.
func addProvider(c *config.Config, pages *site.Parts, log *slog.Logger) error {
	o := c.Players.OIDC
	if !o.On() {
		return nil
	}
	secret, err := o.ReadSecret()
	if err != nil {
		return fmt.Errorf("players.oidc.client_secret_file: %w", err)
	}
	pages.Provider = provider.New(provider.Settings{Issuer: o.Issuer, ClientID: o.ClientID, Secret: secret, Scopes: o.Scopes}, log)
	pages.Button, pages.Address = o.Button, o.Address
	return nil
}
