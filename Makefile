# Every target runs one command.
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
