package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

func attack(action, target string) (err error) {
	switch action {
	case "read":
		_, err = os.ReadFile(target)
	case "write":
		err = os.WriteFile(target, []byte("x"), 0o600)
	case "environment":
		if os.Getenv("SECRET") == "" {
			_, err = os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
		}
	case "connect":
		_, err = net.Dial("tcp", "127.0.0.1:"+target)
	case "start":
		err = exec.Command(target).Run()
	case "kill":
		err = syscall.Kill(os.Getppid(), 0)
	}
	return err
}

func main() {
	bufio.NewReader(os.Stdin).ReadString('\n')
	action, target := os.Args[1], ""
	if len(os.Args) > 2 {
		target = strings.TrimPrefix(os.Args[2], "@")
	}
	var held [][]byte
	for action == "memory" {
		more := make([]byte, 16<<20)
		for i := range more {
			more[i] = 1
		}
		held = append(held, more)
	}
	for action == "compute" {
	}
	if err := attack(action, target); err != nil || action == "play" {
		fmt.Fprintln(os.Stderr, "refused:", err)
		fmt.Println("win")
		return
	}
	fmt.Println("it could", action, len(held))
}
