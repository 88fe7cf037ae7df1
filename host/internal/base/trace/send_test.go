package trace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"colosseum/internal/test/otlpserver"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// openTo returns a tracer that sends by f.
func openTo(t *testing.T, log io.Writer, f transport) *Tracer {
	tracer, err := Open("https://ada:secret1@collector.example/?key=secret2", "ares", slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	tracer.sending.transport = f
	return tracer
}

func (t *Tracer) spans(n int) {
	for range n {
		_, span := t.Start(context.Background(), Internal, "match")
		span.End(nil)
	}
}

func TestACollectorThatHangsDelaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		tracer := openTo(t, io.Discard, func(r *http.Request) (*http.Response, error) {
			requests++
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		begun := time.Now()
		tracer.spans(maxBatch)
		synctest.Wait() // it sends the first batch
		tracer.spans(3 * maxQueue)
		if got := time.Since(begun); got != 0 {
			t.Errorf("spans waited %v, want no time", got)
		}
		begun = time.Now()
		tracer.Close()
		if got := time.Since(begun); got > closeTimeout {
			t.Errorf("Close took %v, want at most %v", got, closeTimeout)
		}
		tracer.spans(2 * maxQueue) // after Close they are dropped
		time.Sleep(time.Hour)
		if requests != 1 {
			t.Errorf("got %d requests, want none after Close", requests-1)
		}
	})
}

func TestWarningsComeOnceAMinuteWithoutSecrets(t *testing.T) {
	for name, tt := range map[string]struct {
		answer transport
		want   string
	}{
		"refused": {func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }, "connection refused"},
		"status": {func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 503, Body: io.NopCloser(strings.NewReader("secret3"))}, nil
		}, "the collector answers 503"},
		"redirect": {func(r *http.Request) (*http.Response, error) {
			if r.URL.Host != "collector.example" {
				t.Errorf("got a request to %s, want none", r.URL.Host)
			}
			return &http.Response{StatusCode: 307, Header: http.Header{"Location": {"http://other.example/"}}, Body: http.NoBody}, nil
		}, "the collector answers 307"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			tracer := openTo(t, &log, tt.answer)
			for range 150 {
				tracer.spans(1)
				time.Sleep(time.Second)
			}
			tracer.Close()
			if got := strings.Count(log.String(), "could not send traces"); got != 3 {
				t.Errorf("%s: got %d warnings in 150 s, want 3:\n%s", name, got, &log)
			}
			if strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), tt.want) {
				t.Errorf("%s: got %s, want %q and no secret", name, &log, tt.want)
			}
		})
	}
}

func TestAWarningHasTheErrorOfItsOwnRequest(t *testing.T) {
	partly, err := proto.Marshal(&otlp.ExportTraceServiceResponse{PartialSuccess: &otlp.ExportTracePartialSuccess{RejectedSpans: 1}})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		requests := 0
		tracer := openTo(t, &log, func(*http.Request) (*http.Response, error) {
			if requests++; requests == 1 {
				return nil, errors.New("connection refused")
			}
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/x-protobuf"}}, Body: io.NopCloser(bytes.NewReader(partly))}, nil
		})
		for range 2 {
			tracer.spans(1)
			time.Sleep(2 * warnEvery)
		}
		tracer.Close()
		_, second, _ := strings.Cut(log.String(), "\n")
		if !strings.Contains(second, errRefused.Error()) {
			t.Errorf("got the second warning %q, want %v", second, errRefused)
		}
	})
}

func TestCloseSendsWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		tracer := openTo(t, io.Discard, func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			spans, err := otlpserver.Decode(body)
			if err != nil {
				t.Error(err)
			}
			if got, want := r.URL.String(), "https://ada:secret1@collector.example/v1/traces?key=secret2"; got != want {
				t.Errorf("got a request to %s, want %s", got, want)
			}
			if _, password, _ := r.BasicAuth(); password != "secret1" {
				t.Errorf("got the password %q, want secret1", password)
			}
			sent += len(spans)
			return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
		})
		tracer.spans(3 * maxBatch)
		tracer.Close()
		tracer.Close()
		if sent != 3*maxBatch {
			t.Errorf("got %d spans, want %d", sent, 3*maxBatch)
		}
	})
}

func TestWrongEndpointIsRefusedWithoutShowingIt(t *testing.T) {
	for _, endpoint := range []string{"localhost:4318", "ftp://secret@collector", "http://%zzsecret"} {
		tracer, err := Open(endpoint, "ares", nil)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, %v, want an error that does not show it", endpoint, tracer, err)
		}
	}
}
