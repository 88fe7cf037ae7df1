# Every target is one command; what they do is written in Go.
.PHONY: run test race bench generate check dist

run:
	go run ./host

test:
	go test ./...

race:
	go test -race ./...

bench:
	go test -run '^$$' -bench . ./...

generate:
	go generate ./...

check:
	go vet ./...
	go tool staticcheck ./...

dist:
	go run ./release
