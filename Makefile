# Every target runs one command.
.PHONY: run test race bench generate check dist

# Without C, as the host compiles the games, so that both use the same packages.
run:
	CGO_ENABLED=0 go run ./host

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
