package server

import "golang.org/x/sys/windows"

// refused is the error of an address at which nobody listens. (The package syscall
// has another number by that name.)
const refused = windows.WSAECONNREFUSED
