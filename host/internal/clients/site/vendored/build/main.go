// Command build makes the files that the pages take from packages of npm: the editor CodeMirror,
// and MicroPython as WebAssembly. It fetches fixed versions, and compares their checksums.
//
//	go run ./host/internal/clients/site/vendored/build host/internal/clients/site
//
// writes them into the folder of package site. It needs Node, for Binaryen alone: that changes
// MicroPython so that a program in Python can wait for a line. The files are in the repository,
// so nobody else needs Node or the network.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

const (
	registry = "https://registry.npmjs.org/"
	python   = "@micropython/micropython-webassembly-pyscript"
	most     = 64 << 20 // bytes of an archive
)

//go:embed packages.txt
var packages string

//go:embed codemirror.js
var editor string

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("want the folder of package site")
	}
	if err := build(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// build writes all files into a folder.
func build(folder string) error {
	modules, err := os.MkdirTemp("", "vendored")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(modules) }() // only a copy of what npm has
	modules = filepath.Join(modules, "node_modules")
	licences := &strings.Builder{}
	for line := range strings.Lines(packages) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		p := strings.Fields(line)
		if err := fetch(p[0], p[1], p[2], modules); err != nil {
			return fmt.Errorf("fetch %s %s: %w", p[0], p[1], err)
		}
		if p[0] == "binaryen" { // a tool: nothing of it is in the files
			continue
		}
		text, err := licence(p[0], filepath.Join(modules, p[0]))
		if err != nil {
			return fmt.Errorf("licence of %s: %w", p[0], err)
		}
		fmt.Fprintf(licences, "%s %s\n\n%s\n\n", p[0], p[1], strings.TrimSpace(text))
	}
	files := map[string][]byte{"vendored/licences.txt": []byte(strings.TrimSpace(licences.String()) + "\n")}
	if files["vendored/codemirror.js"], err = bundle(editor, filepath.Dir(modules), "--format=esm"); err != nil {
		return fmt.Errorf("bundle the editor: %w", err)
	}
	if files["vendored/python.js"], err = pythonScript(filepath.Join(modules, python)); err != nil {
		return fmt.Errorf("bundle MicroPython: %w", err)
	}
	if files["vendored/python.wasm"], err = waiting(filepath.Join(modules, "binaryen/bin/wasm-opt"), filepath.Join(modules, python, "micropython.wasm")); err != nil {
		return fmt.Errorf("let MicroPython wait: %w", err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fetch unpacks a package with the given checksum.
func fetch(name, version, sum, modules string) error {
	response, err := http.Get(registry + name + "/-/" + path.Base(name) + "-" + version + ".tgz")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	archive, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return err
	}
	if got := sha512.Sum512(archive); response.StatusCode != http.StatusOK || "sha512-"+base64.StdEncoding.EncodeToString(got[:]) != sum {
		return fmt.Errorf("got %s with another checksum than that of packages.txt", response.Status)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	for files := tar.NewReader(zipped); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		_, inside, ok := strings.Cut(h.Name, "/") // the first folder is the package's
		if !ok || !filepath.IsLocal(inside) || h.Typeflag != tar.TypeReg {
			continue
		}
		file := filepath.Join(modules, name, inside)
		text, err := io.ReadAll(files)
		if err != nil {
			return err
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, 0o644)); err != nil {
			return err
		}
	}
}

// licence returns the text of a package's licence. MicroPython's package has none, and its
// repository that of the MIT licence.
func licence(name, folder string) (string, error) {
	if name == python {
		return micropythonLicence, nil
	}
	list, err := filepath.Glob(filepath.Join(folder, "LICENSE*"))
	if err != nil || len(list) == 0 {
		return "", errors.Join(errors.New("there is none"), err)
	}
	text, err := os.ReadFile(list[0])
	return string(text), err
}

// bundle returns a script with all that it imports.
func bundle(text, folder string, options ...string) ([]byte, error) {
	tool, err := exec.Command("go", "tool", "-n", "esbuild").Output()
	if err != nil {
		return nil, fmt.Errorf("find esbuild: %w", err)
	}
	command := exec.Command(strings.TrimSpace(string(tool)), append(options,
		"--bundle", "--minify", "--target=es2022", "--charset=utf8", "--log-level=error",
		"--legal-comments=none", // they are in licences.txt
		"--define:process=undefined", `--define:import.meta.url=""`,
		"--external:module", "--external:fs", "--external:path", "--external:url", "--external:crypto")...) // MicroPython imports them in Node alone
	command.Dir = folder
	command.Stdin = strings.NewReader(text)
	var faults bytes.Buffer
	command.Stderr = &faults
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, faults.String())
	}
	return out, nil
}

// pythonScript returns the script that starts MicroPython. Two changes let its user give it the
// compiled module, and see the references to objects of JavaScript.
func pythonScript(folder string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(folder, "micropython.mjs"))
	if err != nil {
		return nil, err
	}
	const before = "let Module={locateFile:"
	if n := strings.Count(string(text), before); n != 1 {
		return nil, fmt.Errorf("got %d times %q, want 1", n, before)
	}
	changed := strings.Replace(string(text), before, "let Module={instantiateWasm:options.instantiateWasm,locateFile:", 1)
	return bundle(changed, folder, "--format=iife", "--global-name=micropython")
}

// waiting returns MicroPython with Binaryen's Asyncify: while it calls a method of JavaScript
// without arguments (call1) the program can be left, and entered again later. It needs that
// around calls that catch exceptions, too.
func waiting(tool, file string) ([]byte, error) {
	out := file + ".waiting"
	command := exec.Command("node", tool, file, "-O2", "--asyncify", "--pass-arg=asyncify-imports@env.invoke_*,env.call1", "-O2", "-o", out)
	if text, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	return os.ReadFile(out)
}
