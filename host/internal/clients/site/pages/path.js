// Addresses of this host. Pages write them from the root of the host, like /games/x. If a
// proxy serves the host at a part of a site, a prefix comes before them.

const prefix = new URL("..", import.meta.url).pathname.slice(0, -1); // of /assets; no slash at the end

// prefixed returns an address with the prefix. It leaves other addresses, and those that have it.
export const prefixed = (address) => (address.startsWith("/") && !address.startsWith(`${prefix}/`) ? prefix + address : address);

// absolute returns the whole address of a path of this host.
export const absolute = (path) => location.origin + prefixed(path);

// socket returns the address for programs.
export const socket = () => absolute("/").replace(/^http/, "ws");

// pathPart returns a part of the path of this page: pathPart(2) of /games/x is x.
export const pathPart = (n) => decodeURIComponent(location.pathname.slice(prefix.length).split("/")[n] ?? "");
