package browser

import (
	"regexp"
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

// TestPagesOfAPlayerAreAccessibleAndTranslated looks at the pages on which a player manages its
// account and lets programs in, in each of their states, in English and then in Italian.
func TestPagesOfAPlayerAreAccessibleAndTranslated(t *testing.T) {
	long.Only(t, "two more pages, in two languages")
	h := start(t, "roshambo")
	b := open(t, 375, 667)
	defer b.scheme("light") // other tests use the window again
	data := regexp.MustCompile(`\b(ann|robot|coco on laptop|coco|colosseum|play|submit|read|all)\b|coco_[\w-]+|[A-Z]{4}-[A-Z]{4}|⟦|⟧`)
	inEnglish := func(name string) {
		t.Helper()
		b.looks(name)
		b.scheme("dark")
		b.faults(name+", dark", true)
		b.scheme("light")
	}
	inItalian := func(name string) {
		t.Helper()
		b.noEnglish(name, data)
	}
	b.visit(h.url + "/")
	token := b.register("ann")
	for _, one := range []struct {
		site  string
		check func(name string)
	}{{h.url, inEnglish}, {marked(t, h.url), inItalian}} {
		open := func(path, ready string) {
			t.Helper()
			b.resize(375, 667)
			b.visit(one.site + path)
			b.awaitComplete(ready)
			if one.site != h.url {
				b.await("document.body.textContent.includes('⟦')")
			}
		}
		open("/account", "document.querySelector('#tokens li')")
		one.check("account")
		b.write("#label", "robot")
		b.click("#create button[type=submit]")
		b.await("document.querySelector('#new-token code') && document.querySelector('#tokens li .quiet')")
		one.check("account with a new token")
		b.click("#tokens li .quiet")
		b.await("document.querySelector('dialog')")
		one.check("account, revoke")
		b.click("dialog button.main")
		b.await("!document.querySelector('dialog') && !document.querySelector('#tokens li .quiet')")

		open("/device?code=BCDF-GHJK", "document.querySelector('#code')")
		one.check("device")
		b.click("#device button.main")
		b.await("document.querySelector('#device .fault').textContent")
		if one.site == h.url { // the host's texts are in English
			one.check("device, unknown code")
		}
		b.text("fetch('/api/device', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ client: 'coco on laptop' }) }).then((r) => r.json()).then((r) => (document.title = r.user_code)) && document.title")
		b.await("/^.{4}-.{4}$/.test(document.title)")
		open("/device?code="+strings.ToLower(b.text("document.title")), "document.querySelector('#code')")
		b.click("#device button.main")
		b.await("document.querySelector('#asks')")
		one.check("device, decision")
		b.click("#deny")
		b.await("document.querySelector('#answered')")
		one.check("device, denied")

		b.visit(h.url + "/") // its cookie is for all ports of its address
		b.click("#log-out")
		b.await("document.querySelector('#log-in')")
		for _, page := range []string{"account", "device"} {
			open("/"+page, "!document.querySelector('#log-in-first').hidden")
			one.check(page + " without a player")
		}
		open("/login?problem=denied", "document.querySelector('#problem').textContent")
		one.check("login")

		b.visit(h.url + "/")
		b.click("#log-in")
		b.write("#token", token)
		b.click("dialog button.main")
		b.await(loggedIn("ann"))
	}
}
