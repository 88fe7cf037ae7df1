package site

import (
	"encoding/json"
	"net/http"
)

// encode returns an answer as a line of JSON.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the answers hold nothing that JSON cannot express
	}
	return append(text, '\n')
}

type errorAnswer struct {
	Error string `json:"error"`
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Cache-Control", "no-store") // the address can have an answer later
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(errorAnswer{text}) // fails if the client has gone
}

// sendPrivate sends an answer for one client.
func sendPrivate(w http.ResponseWriter, answer any) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(answer)) // fails if the client has gone
}
