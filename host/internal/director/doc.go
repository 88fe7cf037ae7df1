// Package director plays contests: it pairs their entries, has their matches played,
// and ends them.
package director
