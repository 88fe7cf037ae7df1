package programs

import (
	"net/http"
	"strconv"
	"time"

	"colosseum/internal/test/poll"
)

// patient is a transport that repeats a request while the host is too busy for it, because of a
// slow disk for example, when the host says so.
type patient struct{ http.RoundTripper }

func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	limit := time.After(poll.Limit)
	for {
		answer, err := p.RoundTripper.RoundTrip(r)
		if err != nil || answer.StatusCode != http.StatusServiceUnavailable {
			return answer, err
		}
		seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		if err != nil {
			return answer, nil
		}
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-limit:
			return answer, nil
		case <-r.Context().Done():
			return answer, nil
		}
		answer.Body.Close()
		if r.GetBody != nil {
			r = r.Clone(r.Context())
			if r.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}
