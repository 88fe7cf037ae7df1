package export

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/klauspost/compress/zstd"

	"colosseum/host/internal/records/record"
)

const (
	// maxLine is the most bytes of a line: a record has at most two packed values of
	// record.MaxBlob, most of which is text.
	maxLine = 1 << 30
	// maxWindow bounds the memory of decompression; Write needs an eighth of it.
	maxWindow = 64 << 20
)

// errDamaged is the error for a file that is not the one of the manifest.
var errDamaged = errors.New("it is damaged or was changed")

// Verify checks an export: the signature of its manifest, the hashes of its files, and each
// line, which must be a transcript of an ended match, in order, and in the manifest's time
// and game. With a public key the export must be signed with it; nil: a signature must be
// right, but anybody can have made it. Progress, if not nil, is called from time to time with
// the number of matches. It needs memory for a few records.
func Verify(ctx context.Context, folder string, public ed25519.PublicKey, progress func(matches int64)) (*Manifest, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	text, err := readSmall(root, ManifestFile, MaxManifest)
	if err != nil {
		return nil, err
	}
	m, err := ParseManifest(text)
	if err != nil {
		return nil, err
	}
	if err := checkSignature(root, m, text, public); err != nil {
		return nil, err
	}
	if m.Lines != record.TranscriptFormat {
		return nil, fmt.Errorf("%s: its lines are %q, not %q", ManifestFile, m.Lines, record.TranscriptFormat)
	}
	v := &verifier{ctx: ctx, manifest: m, games: map[string]int64{}, last: m.Since, progress: progress}
	for _, f := range m.Files {
		if err := v.file(root, f); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for game, n := range m.Games {
		if v.games[game] != n {
			return nil, fmt.Errorf("the files have %d matches of %s, not %d", v.games[game], game, n)
		}
	}
	return m, nil
}

// checkSignature checks the signature of the text of a manifest.
func checkSignature(root *os.Root, m *Manifest, text []byte, public ed25519.PublicKey) error {
	signature, err := readSmall(root, SignatureFile, ed25519.SignatureSize)
	switch {
	case errors.Is(err, fs.ErrNotExist) && m.Key == nil && public == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it is not signed: " + SignatureFile + " is missing")
	case err != nil:
		return err
	case len(m.Key) != ed25519.PublicKeySize:
		return errors.New(ManifestFile + " does not have the key of the signature")
	case public != nil && !bytes.Equal(m.Key, public):
		return errors.New("it is signed with another key than the given one")
	case !ed25519.Verify(m.Key, text, signature):
		return errors.New("the signature is not that of " + ManifestFile + ": one of the two was changed")
	}
	return nil
}

type verifier struct {
	ctx      context.Context // of Verify
	manifest *Manifest
	matches  int64
	games    map[string]int64
	last     time.Time // the end of the match before
	progress func(matches int64)
}

// file checks a file.
func (v *verifier) file(root *os.Root, f File) error {
	opened, err := open(root, f.Name)
	if err != nil {
		return err
	}
	defer opened.Close()
	hash := sha256.New()
	count := &counter{}
	raw := io.TeeReader(io.LimitReader(opened, f.Bytes+1), io.MultiWriter(hash, count))
	var wrong error
	if f.Matches > 0 || f.Plain > 0 {
		wrong = v.lines(raw, f)
	}
	if v.ctx.Err() != nil {
		return v.ctx.Err()
	}
	if _, err := io.Copy(io.Discard, raw); err != nil {
		return err
	}
	if count.bytes != f.Bytes || hex.EncodeToString(hash.Sum(nil)) != f.SHA256 {
		return errDamaged
	}
	return wrong
}

// lines checks the matches in a file.
func (v *verifier) lines(raw io.Reader, f File) error {
	plain, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return err
	}
	defer plain.Close()
	in := bufio.NewReaderSize(io.LimitReader(plain, f.Plain+1), 64<<10)
	var line []byte
	var n, size int64
	for {
		if line, err = readLine(in, line[:0]); errors.Is(err, io.EOF) && len(line) == 0 {
			break
		} else if err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
		n++
		size += int64(len(line))
		if err := v.match(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if n != f.Matches || size != f.Plain {
		return fmt.Errorf("it has %d matches in %d bytes, not %d in %d", n, size, f.Matches, f.Plain)
	}
	return nil
}

// match checks a line.
func (v *verifier) match(line []byte) error {
	r, err := record.DecodeTranscript(line)
	switch m := v.manifest; {
	case err != nil:
		return err
	case r.State != record.Finished && r.State != record.Aborted:
		return fmt.Errorf("match %q has not ended: its state is %q", r.ID, r.State)
	case r.Ended.Before(m.Since) || !r.Ended.Before(m.Until):
		return fmt.Errorf("match %q ended at %v, which is not in the time of the export", r.ID, r.Ended)
	case r.Ended.Before(v.last):
		return fmt.Errorf("match %q ended before the one in front of it", r.ID)
	case m.Game != "" && r.Game != m.Game:
		return fmt.Errorf("match %q is one of %q, not of %q", r.ID, r.Game, m.Game)
	}
	v.last = r.Ended
	v.games[r.Game]++
	if v.matches++; v.matches%pageMatches == 0 {
		if v.progress != nil {
			v.progress(v.matches)
		}
		return v.ctx.Err()
	}
	return nil
}

// readLine appends a line with its end to b. The error is io.EOF if there is none.
func readLine(in *bufio.Reader, b []byte) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		b = append(b, part...)
		switch {
		case err == nil:
			return b, nil
		case errors.Is(err, io.EOF) && len(b) > 0:
			return b, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return b, err
		case len(b) > maxLine:
			return b, fmt.Errorf("it has more than %d bytes", maxLine)
		}
	}
}

// open opens a regular file: a pipe would not answer.
func open(root *os.Root, name string) (*os.File, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return root.Open(name)
}

// readSmall reads a file of at most max bytes.
func readSmall(root *os.Root, name string, max int64) ([]byte, error) {
	f, err := open(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(text)) > max {
		err = fmt.Errorf("%s has more than %d bytes", name, max)
	}
	return text, err
}

// counter counts what is written to it.
type counter struct{ bytes int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.bytes += int64(len(b))
	return len(b), nil
}
