package doctor

import "colosseum/host/internal/base/config"

// webhooks checks the secrets of webhooks. It sends nothing.
func webhooks(c *config.Config) (all []Finding) {
	for _, w := range c.Webhooks {
		what := "secret of the webhook " + w.Name
		if _, err := w.ReadSecret(); err != nil {
			all = append(all, fail(what, err, `write one into the file: echo "whsec_$(openssl rand -base64 32)"`))
		} else {
			all = append(all, private(what, w.SecretFile))
		}
	}
	return all
}
