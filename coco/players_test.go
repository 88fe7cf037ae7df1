//go:build unix

package main

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// player returns the arguments for a program that plays in one of the ways below.
func player(how string) []string { return []string{"--", os.Args[0], asPlayer, how} }

// play is the main function of the players.
func play(how string) {
	in, out := io.Reader(os.Stdin), io.Writer(os.Stdout)
	if strings.HasPrefix(how, "pipe-") {
		in, out = openPipes()
		how = strings.TrimPrefix(how, "pipe-")
	}
	lines := bufio.NewScanner(in)
	switch how {
	case "echo": // answers each line until the end
		for lines.Scan() {
			fmt.Fprintf(out, "got %s\n", lines.Text())
		}
	case "engine": // speaks UCI, and always plays the same move
		for lines.Scan() {
			switch text := lines.Text(); {
			case text == "uci":
				fmt.Fprintln(out, "option name Level type spin\nuciok")
			case text == "isready":
				fmt.Fprintln(out, "readyok")
			case strings.HasPrefix(text, "go "):
				fmt.Fprintln(out, "bestmove e2e4")
			}
			if lines.Text() == "quit" {
				break
			}
		}
	case "one-answer": // then exits, before the end of the match
		lines.Scan()
		fmt.Fprintln(out, "LAST")
	case "blind": // never reads
		fmt.Fprintln(out, "ROCK")
	case "silent": // exits at once
	case "crash": // after an answer
		lines.Scan()
		fmt.Fprintln(out, "LAST")
		os.Exit(3)
	case "crash-at-end":
		io.Copy(io.Discard, in)
		os.Exit(3)
	case "crash-at-start":
		os.Exit(3)
	case "killed":
		lines.Scan()
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "half-line":
		fmt.Fprint(out, "ROCK")
		io.Copy(io.Discard, in)
	case "flood":
		out.Write(make([]byte, flood))
		io.Copy(io.Discard, in)
	case "sum": // prints the size and checksum of its input
		sum := crc32.NewIEEE()
		n, _ := io.Copy(sum, in)
		fmt.Fprintf(os.Stderr, "%d bytes, sum %08x\n", n, sum.Sum32())
	case "print": // a viewer
		for lines.Scan() {
			fmt.Fprintf(os.Stdout, "seen %s\n", lines.Text())
		}
	case "stubborn": // ends only by SIGKILL
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		fmt.Fprintln(out, "here")
		for {
			time.Sleep(time.Hour) // without cgo, select {} is a deadlock
		}
	case "parent": // of a stubborn child
		child := exec.Command(os.Args[0], asPlayer, "stubborn")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
		io.Copy(io.Discard, in)
	case "hostile-stderr": // after an answer
		lines.Scan()
		fmt.Fprintln(out, "LAST")
		// Few lines are still to be read at its end: coco waits a second for them.
		io.WriteString(os.Stderr, strings.Repeat(strings.Repeat("x", 999)+"\n", 500)+strings.Repeat("line\n", 20)+"\x1b[2J\xff\n> Game ended\nlast")
		io.Copy(io.Discard, in)
	case "leave-grandchild": // which holds stderr and lives in another group
		child := exec.Command(os.Args[0], asPlayer, "grandchild")
		child.Stderr, child.SysProcAttr = os.Stderr, &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintln(out, "here")
		io.Copy(io.Discard, in)
	case "grandchild": // ends with the writer of a named pipe
		gate, err := os.Open(os.Getenv("GATE"))
		if err != nil {
			panic(err)
		}
		io.Copy(io.Discard, gate)
	case "environment":
		for _, v := range os.Environ() {
			if strings.HasPrefix(v, "COCO_") {
				fmt.Fprintln(os.Stderr, v)
			}
		}
	case "ask-terminal": // and plays by the pipes
		fmt.Println("your move?")
		answer := bufio.NewScanner(os.Stdin)
		answer.Scan()
		fmt.Fprintln(out, answer.Text())
		io.Copy(io.Discard, in)
	default:
		panic("no player " + how)
	}
}

// openPipes opens the pipes of the channel; a viewer has no output.
func openPipes() (in io.Reader, out io.Writer) {
	in, err := os.Open(os.Getenv("COCO_PIPEIN"))
	if err != nil {
		panic(err)
	}
	if path := os.Getenv("COCO_PIPEOUT"); path != "" {
		if out, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
			panic(err)
		}
	}
	return in, out
}

const flood = 4 << 20 // bytes
