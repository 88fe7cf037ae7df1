package main

import (
	"fmt"
	"os"
)

// process does what only a compiled game can do to its process.
func process(fault string) {
	switch fault {
	case "exit":
		os.Exit(3)
	case "panic in a goroutine":
		go func() { panic("boom") }()
		select {}
	case "print on stdout":
		fmt.Println("1|1|unix|/nonsense|grpc")
	}
}
