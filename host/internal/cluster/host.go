// Package cluster joins several hosts to one: they list each other and their matches in
// NATS, and send each other requests.
package cluster

import "time"

// Host is a host of the cluster as it lists itself for the others, every second.
type Host struct {
	Name      string    `json:"name"`
	Advertise string    `json:"advertise"` // ws://… or wss://…
	Started   time.Time `json:"started"`
	Games     []Game    `json:"games"` // that can be played there now
	Matches   int       `json:"matches"`
	Capacity  int       `json:"capacity"` // most matches
	Sessions  int       `json:"sessions"`
	Cores     int       `json:"cores,omitempty"`
	CPU       float64   `json:"cpu,omitempty"`      // the used part of the machine's CPU time, from 0 to 1
	Programs  int       `json:"programs,omitempty"` // cores for programs that were handed in; 0: it runs none
	Runner    bool      `json:"runner,omitempty"`   // it serves no clients, and takes only matches of such programs
	Draining  bool      `json:"draining,omitempty"` // it takes no new matches, because it stops
	Leader    bool      `json:"leader,omitempty"`   // it pairs the players that serve, and plays the contests
}

// Game is a game that a host offers.
type Game struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}
