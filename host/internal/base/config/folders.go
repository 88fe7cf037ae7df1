package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"colosseum/host/internal/base/disk"
)

// foldersFile, in the data folder, has the absolute paths of the plugins.folders of the
// last host that used the data folder, in JSON.
const foldersFile = "plugins.json"

// KeepFolders writes the plugins.folders into the data folder, for UseFolders.
func (c *Config) KeepFolders() error {
	var folders []string
	for _, folder := range c.Plugins.Folders {
		dir, err := filepath.Abs(folder)
		if err != nil {
			return err
		}
		folders = append(folders, dir)
	}
	if slices.Equal(folders, keptFolders(c.Data)) {
		return nil
	}
	text, err := json.Marshal(folders)
	if err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(c.Data, foldersFile), append(text, '\n'), 0o600)
}

// UseFolders sets plugins.folders to those of the host that used the data folder last, if
// they are the default and do not exist: a command runs in another folder than the host.
func (c *Config) UseFolders() {
	if !slices.Equal(c.Plugins.Folders, Default().Plugins.Folders) {
		return
	}
	if _, err := os.Stat(c.Plugins.Folders[0]); !os.IsNotExist(err) {
		return
	}
	if folders := keptFolders(c.Data); len(folders) > 0 {
		c.Plugins.Folders = folders
	}
}

// keptFolders returns what KeepFolders has written; nil: nothing that can be read.
func keptFolders(data string) (folders []string) {
	text, err := os.ReadFile(filepath.Join(data, foldersFile))
	if err != nil || json.Unmarshal(text, &folders) != nil {
		return nil
	}
	return folders
}
