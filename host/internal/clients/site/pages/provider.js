// The login provider of the host, such as the login of a school.
import { api } from "./host.js";

// visit goes to the provider, which sends the browser back. then is the page to show after
// that, by its path.
export async function visit(then = location.pathname + location.search) {
	const { address } = await api("/api/login", "POST", { then });
	location.href = address;
}
