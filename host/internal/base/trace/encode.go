package trace

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// The types below are the message ExportTraceServiceRequest of OTLP 1.x in JSON: IDs are
// hexadecimal, and numbers of 64 bits are strings
// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
type (
	request struct {
		Resources [1]resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource struct {
			Attributes []attribute `json:"attributes"`
		} `json:"resource"`
		Scopes [1]scopeSpans `json:"scopeSpans"`
	}
	scopeSpans struct {
		Scope struct {
			Name string `json:"name"`
		} `json:"scope"`
		Spans []span `json:"spans"`
	}
	span struct {
		Trace      string      `json:"traceId"`
		ID         string      `json:"spanId"`
		Parent     string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       Kind        `json:"kind"`
		Begun      string      `json:"startTimeUnixNano"`
		Ended      string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes,omitempty"`
		Status     status      `json:"status"`
	}
	attribute struct {
		Key   string   `json:"key"`
		Value anyValue `json:"value"`
	}
	anyValue struct { // exactly one
		Text *string `json:"stringValue,omitempty"`
		Int  *int64  `json:"intValue,string,omitempty"`
	}
	status struct {
		Code int `json:"code,omitempty"` // 2: failed
	}
)

// encode returns the request that sends spans of a host.
func encode(host string, spans []*Span) []byte {
	var r request
	resource := &r.Resources[0].Resource
	service := "colosseum"
	resource.Attributes = append(resource.Attributes, attribute{Key: "service.name", Value: anyValue{Text: &service}})
	if host != "" {
		resource.Attributes = append(resource.Attributes, attribute{Key: "service.instance.id", Value: anyValue{Text: &host}})
	}
	scope := &r.Resources[0].Scopes[0]
	scope.Scope.Name = "colosseum/host"
	scope.Spans = make([]span, len(spans))
	for i, s := range spans {
		x := span{
			Trace: hex.EncodeToString(s.self.trace[:]), ID: hex.EncodeToString(s.self.span[:]), Name: s.name, Kind: s.kind,
			Begun: strconv.FormatInt(s.begun.UnixNano(), 10), Ended: strconv.FormatInt(s.ended.UnixNano(), 10),
			Attributes: s.attributes,
		}
		if s.parent != [8]byte{} {
			x.Parent = hex.EncodeToString(s.parent[:])
		}
		if s.failed {
			x.Status.Code = 2
		}
		scope.Spans[i] = x
	}
	body, err := json.Marshal(r)
	if err != nil {
		panic(err) // the types above can always be encoded
	}
	return body
}
