package disk

// SyncFolder does nothing: Windows has no call that writes the names in a folder to
// the disk.
func SyncFolder(string) error { return nil }
