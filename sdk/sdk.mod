// The go.mod of the SDK in the cache of a host, for games whose folder has no go.mod. It
// requires what sdk/plugin needs and nothing else, so that a host needs no other modules to
// compile such a game, nor to report an import that no module has. The excluded versions are
// those that older go.mod files of these modules ask for: without them, the go command
// would look for their go.mod files, too. TestSDKRequiresOnlyWhatGamesNeed checks it.
module colosseum

go 1.26.0

require (
	github.com/fatih/color v1.13.0
	github.com/golang/protobuf v1.5.4
	github.com/hashicorp/go-hclog v1.6.3
	github.com/hashicorp/go-plugin v1.8.0
	github.com/hashicorp/yamux v0.1.2
	github.com/mattn/go-colorable v0.1.12
	github.com/mattn/go-isatty v0.0.24
	github.com/oklog/run v1.1.0
	golang.org/x/net v0.60.0
	golang.org/x/sys v0.49.0
	golang.org/x/text v0.43.0
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc
	google.golang.org/grpc v1.85.0
	google.golang.org/protobuf v1.36.12
)

exclude (
	github.com/davecgh/go-spew v1.1.1
	github.com/mattn/go-colorable v0.1.9
	github.com/mattn/go-isatty v0.0.14
	github.com/stretchr/testify v1.7.2
	golang.org/x/sys v0.0.0-20210927094055-39ccf1dd6fa6
	golang.org/x/sys v0.0.0-20220503163025-988cb79eb6c6
)
