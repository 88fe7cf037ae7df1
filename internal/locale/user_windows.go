package locale

import "golang.org/x/sys/windows"

// system returns the language in which Windows is shown to the user, like it-IT.
func system() string {
	names, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil || len(names) == 0 {
		return ""
	}
	return names[0]
}
