package browser

import (
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "make the pictures of the games again")

// Size of a game's picture.
const (
	pictureWidth  = 640
	pictureHeight = 336
)

// TestPicturesOfTheGamesAreMadeAgain draws a position of a match between bots, in
// testdata/pictures, with the viewer of each game, and writes the game's picture.
func TestPicturesOfTheGamesAreMadeAgain(t *testing.T) {
	if !*update {
		t.Skip("only with -update: the pictures depend on the fonts of the machine")
	}
	tests := []struct {
		game, file string
		params     string // as JSON
		lines      int    // of the stream
		width      int    // of the board in pixels, so that the picture shows all of it
		down       int    // pixels by which the board is moved down
	}{
		{"chess", "chess/picture.png", `{}`, 99, 320, 38},
		{"dama", "dama/picture.png", `{"rules":"english"}`, 175, 320, 52},
		{"damath", "dama/picture-damath.png", `{"rules":"damath","chips":"whole"}`, 36, 306, 107},
		{"kamisado", "kamisado/picture.png", `{}`, 12, 320, 0},
		{"liarsdice", "liarsdice/picture.png", `{}`, 67, 630, 25},
		{"roshambo", "roshambo/picture.png", `{"rounds":"10"}`, 99, 636, 67},
		{"royalur", "royalur/picture.png", `{}`, 150, 570, 0},
		{"taacoca", "taacoca/picture.png", `{}`, 13, 340, 0},
		{"tron", "tron/picture.png", `{}`, 55, 440, 0},
	}
	h := shared(t)
	b := open(t, pictureWidth, pictureHeight)
	for _, tt := range tests {
		t.Run(tt.game, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata/pictures", tt.game+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			b.visit(h.url + "/api")
			b.scheme("light")
			var fault string
			b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": fmt.Sprintf(`const done = arguments[arguments.length - 1], [lines, params, width, down] = [%s, %s, %d, %d];
				const plugin = %s;
				(async () => {
					const { Board } = await import("/assets/board.js");
					const code = await (await fetch("/games/" + plugin + "/viewer.js")).text();
					const box = document.createElement("div"), around = document.createElement("div");
					around.style = "position: fixed; inset: 0; z-index: 9; overflow: hidden; background: #e9ecf1; display: flex; align-items: center; justify-content: center";
					box.style = "flex: none; width: " + width + "px; transform: translateY(" + down + "px)";
					around.append(box);
					document.documentElement.style.overflow = "hidden";
					document.body.append(around);
					let shown = 0;
					const on = { moves() {}, send() {}, failed: done, status() { if (++shown === 1) setTimeout(() => done(""), 500); } };
					const board = new Board(box, on, () => 2000);
					board.open({ role: "spectator", me: null, game: plugin, plugin, params, timeout: 30, seats: 2, bots: 2 }, code);
					board.append(lines.map((text) => ({ text, sent: false })));
					board.show({ show: lines.length, playing: false, ended: false, result: null, fresh: false });
				})().catch((error) => done(String(error)));`,
				jsonOf(lines[:min(tt.lines, len(lines))]), tt.params, tt.width, tt.down, quote(filepath.Dir(tt.file)))}, &fault)
			if fault != "" {
				t.Fatal(fault)
			}
			var shot struct{ Data string }
			b.call("POST", "/goog/cdp/execute", map[string]any{"cmd": "Page.captureScreenshot", "params": map[string]any{"format": "png"}}, &shot)
			raw, err := base64.StdEncoding.DecodeString(shot.Data)
			if err != nil {
				t.Fatal(err)
			}
			full, err := png.Decode(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			if got := full.Bounds().Size(); got != image.Pt(pictureWidth, pictureHeight) {
				t.Fatalf("got a picture of %v, want %d×%d", got, pictureWidth, pictureHeight)
			}
			var out bytes.Buffer
			encoder := png.Encoder{CompressionLevel: png.BestCompression}
			if err := encoder.Encode(&out, reduced(full)); err != nil {
				t.Fatal(err)
			}
			if out.Len() > 56<<10 {
				t.Errorf("got %d bytes, want at most %d", out.Len(), 56<<10)
			}
			if err := os.WriteFile(filepath.Join("../../plugins", tt.file), out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// reduced returns an image with its 256 most frequent colours.
func reduced(full image.Image) image.Image {
	count := map[color.RGBA]int{}
	size := full.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			r, g, b, _ := full.At(x, y).RGBA()
			count[color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}]++
		}
	}
	var colours []color.RGBA
	for c := range count {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return int(b.R)<<16 + int(b.G)<<8 + int(b.B) - (int(a.R)<<16 + int(a.G)<<8 + int(a.B))
	})
	var palette color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	small := image.NewPaletted(size, palette)
	draw.Draw(small, size, full, size.Min, draw.Src)
	return small
}

func jsonOf(lines []string) string {
	quoted := make([]string, len(lines))
	for i, line := range lines {
		quoted[i] = quote(line)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}
