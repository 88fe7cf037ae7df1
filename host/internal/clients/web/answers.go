package web

import (
	"context"

	"colosseum/host/internal/clients/rendered"
	"colosseum/host/internal/games/catalog"
	"colosseum/protocol"
)

// answers are encoded answers that are the same for all clients.
type answers struct {
	parts Parts
	work  func(ctx context.Context) (done func(), err error) // see shared.work

	games   rendered.Cache[uint64, *gameAnswers]
	lobby   rendered.Cache[uint64, []byte]
	seed    rendered.Cache[uint64, *lobbySeed]
	history rendered.Cache[uint64, []byte]
}

// gameAnswers are about one generation of the games.
type gameAnswers struct {
	list, listV1 []byte
	descriptions map[string][]byte // by game
}

// lobbySeed is the first message for a subscriber of the lobby.
type lobbySeed struct {
	generation uint64 // of the lobby
	message    []byte
}

func (a *answers) ofGames() *gameAnswers {
	all, _ := a.games.Get(a.parts.Games.Generation, func() (*gameAnswers, error) { // without errors
		offers := a.parts.Games.List()
		all := &gameAnswers{
			list: protocol.Encode(protocol.NameGameList, gameList(offers)), listV1: protocol.Encode(protocol.NameGameList, gameListV1(offers)),
			descriptions: map[string][]byte{},
		}
		for _, o := range offers {
			all.descriptions[o.Name] = protocol.Encode(protocol.NameGameDescription, protocol.GameDescriptionReply{Description: &o.Rules})
		}
		return all, nil
	})
	return all
}

// ofLobby returns the encoded list of the lobby.
func (a *answers) ofLobby() []byte {
	list, _ := a.lobby.Get(a.parts.Lobby.Generation, func() ([]byte, error) { // without errors
		return protocol.Encode(protocol.NameLobbyList, protocol.LobbyListReply{Info: a.parts.Lobby.List()}), nil
	})
	return list
}

func (a *answers) lobbySeed() *lobbySeed {
	seed, _ := a.seed.Get(a.parts.Lobby.Generation, func() (*lobbySeed, error) { // without errors
		infos, generation := a.parts.Lobby.Snapshot()
		return &lobbySeed{generation, protocol.Encode(protocol.NameLobbySubscribed, protocol.LobbySubscribedReply{Seed: infos})}, nil
	})
	return seed
}

// historyLimit is the most IDs that a list of the history holds.
const historyLimit = 10000

// ofHistory returns the encoded list of the matches that have ended.
func (a *answers) ofHistory(ctx context.Context) ([]byte, error) {
	return a.history.Get(a.parts.History.Generation, func() ([]byte, error) {
		done, err := a.work(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		ids, err := a.parts.History.List(ctx, historyLimit)
		if err != nil {
			return nil, err
		}
		if ids == nil {
			ids = []string{}
		}
		return protocol.Encode(protocol.NameHistoryMatchList, ids), nil
	})
}

func gameListV1(offers []*catalog.Offer) protocol.GameListReplyV1 {
	list := protocol.GameListReplyV1{Games: []string{}}
	for _, o := range offers {
		list.Games = append(list.Games, o.Name)
	}
	return list
}

func gameList(offers []*catalog.Offer) protocol.GameListReply {
	list := protocol.GameListReply{Games: []protocol.GameInfo{}}
	for _, o := range offers {
		info := protocol.GameInfo{Name: o.Name, Args: map[string]protocol.ArgInfo{}, Title: o.Title, Unavailable: o.Unavailable}
		for _, p := range o.Params {
			info.Args[p.Name] = protocol.ArgInfo{Description: p.Usage(), Regex: p.Regex()}
		}
		list.Games = append(list.Games, info)
	}
	return list
}
