package site

import _ "embed"

// description is the OpenAPI description of the API.
//
//go:embed openapi.json
var description []byte
