package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// wheel writes the Python package of the folder python as a wheel, which pip installs without
// building anything, and returns its name. It has no program, and is the same for the same
// source.
func wheel(source, out string) (name string, err error) {
	project, err := os.ReadFile(filepath.Join(source, "python", "pyproject.toml"))
	if err != nil {
		return "", err
	}
	value := func(key string) string {
		m := regexp.MustCompile(`(?m)^` + key + ` = "(.*)"$`).FindSubmatch(project)
		if m == nil {
			err = errors.Join(err, fmt.Errorf("pyproject.toml has no %s", key))
			return ""
		}
		return string(m[1])
	}
	version := value("version")
	info := "colosseum-" + version + ".dist-info/"
	metadata := fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nRequires-Python: %s\n", value("name"), version, value("description"), value("requires-python"))
	for _, extra := range regexp.MustCompile(`(?m)^(\w+) = \[(".*")\]$`).FindAllSubmatch(project, -1) {
		if name := string(extra[1]); name == "gymnasium" || name == "pettingzoo" {
			metadata += "Provides-Extra: " + name + "\n"
			for need := range strings.SplitSeq(string(extra[2]), ", ") {
				metadata += fmt.Sprintf("Requires-Dist: %s; extra == '%s'\n", strings.Trim(need, `"`), name)
			}
		}
	}
	if err != nil {
		return "", err
	}
	files := map[string][]byte{
		info + "METADATA": []byte(metadata),
		info + "WHEEL":    []byte("Wheel-Version: 1.0\nGenerator: colosseum\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
	}
	paths := []string{info + "METADATA", info + "WHEEL"}
	for _, pattern := range []string{"colosseum/*.py", "colosseum/py.typed", "colosseum/env/*.py"} {
		found, err := filepath.Glob(filepath.Join(source, "python", filepath.FromSlash(pattern)))
		if err != nil {
			return "", err
		}
		for _, path := range found {
			rel, err := filepath.Rel(filepath.Join(source, "python"), path)
			if err != nil {
				return "", err
			}
			rel = filepath.ToSlash(rel)
			if files[rel], err = os.ReadFile(path); err != nil {
				return "", err
			}
			paths = append(paths, rel)
		}
	}
	slices.Sort(paths)
	record := ""
	for _, path := range paths {
		sum := sha256.Sum256(files[path])
		record += fmt.Sprintf("%s,sha256=%s,%d\n", path, base64.RawURLEncoding.EncodeToString(sum[:]), len(files[path]))
	}
	files[info+"RECORD"] = []byte(record + info + "RECORD,,\n")
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, path := range append(paths, info+"RECORD") {
		h := &zip.FileHeader{Name: path, Method: zip.Deflate, Modified: epoch}
		h.SetMode(0o644)
		w, err := z.CreateHeader(h)
		if err != nil {
			return "", err
		}
		if _, err := w.Write(files[path]); err != nil {
			return "", err
		}
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	name = "colosseum-" + version + "-py3-none-any.whl"
	return name, publish(filepath.Join(out, name), packed.Bytes())
}
