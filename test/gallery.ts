/** A house to look at: a month of the demo's work, and files of every kind whose bytes are there. */
import type { Browser } from "playwright-core";
import { fillDemo } from "../db/demo.ts";
import { openData } from "../db/open.ts";
import { allScopes } from "../src/auth/scopes.ts";
import { hashToken, mintToken } from "../src/auth/token.ts";
import { freshDatabase, type Server, startServer } from "./harness.ts";
import { openPlace } from "./library.ts";
import { mp4, wav } from "./media.ts";

export interface Gallery extends AsyncDisposable {
  server: Server;
  token: string;
  /** Address of every page worth looking at, by a name for its picture. */
  pages: Record<string, string>;
}

/** A page of a harbour's site, drawn by the browser: what agents make all day. */
const drawing = (accent: string, berths: number) => `<!doctype html><style>
  body { margin: 0; font: 15px system-ui; background: #eef4f5; color: #12303a }
  header { padding: 18px 28px; background: ${accent}; color: #fff; font-size: 20px; font-weight: 650 }
  main { display: grid; grid-template-columns: repeat(5, 1fr); gap: 12px; padding: 28px }
  i { height: 74px; border-radius: 8px; background: #fff; border-left: 6px solid ${accent} }
</style><header>Harbour desk</header><main>${"<i></i>".repeat(berths)}</main>`;

const report = (rows: string[]) =>
  `<!doctype html>\n<html lang="en">\n<title>Check report</title>\n<h1>Check report</h1>\n<ul>\n${rows.map((row) => `  <li>${row}</li>`).join("\n")}\n</ul>\n</html>\n`;

export async function openGallery(browser: Browser): Promise<Gallery> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase("sqlite"));
  const place = stack.use(await openPlace("disk"));
  const token = mintToken();
  const now = () => Date.now() * 1000;
  const data = await openData(database.url, { now, log() {} });
  await fillDemo(data, { now: now(), lanes: ["lane_a", "lane_b", "lane_c"] });
  const row = { name: "mara", hash: hashToken(token), scopes: allScopes, projects: null, created_at: now(), expires_at: null };
  await data.atomically((writes) => writes.addToken(row));
  await data.close();
  const server = stack.use(await startServer(database, place.env));

  const upload = async (name: string, bytes: Uint8Array | string, said: Record<string, string> = {}): Promise<string> => {
    const form = new FormData();
    for (const [field, value] of Object.entries({ project: "harbor", by: "agent:claude-code", ...said })) form.append(field, value);
    form.append("file", new File([bytes as BlobPart], name));
    const answer = await fetch(`${server.origin}/api/v1/assets`, {
      method: "POST",
      body: form,
      headers: { authorization: `Bearer ${token}` },
    });
    if (answer.status !== 201) throw new Error(await answer.text());
    return ((await answer.json()) as { id: string }).id;
  };
  const judge = (id: string, decision: string, note?: string) =>
    fetch(`${server.origin}/api/v1/assets/${id}/review`, {
      method: "PUT",
      body: JSON.stringify({ decision, note, by: "human:mara" }),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });

  const canvas = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const draw = async (accent: string, berths: number) => {
    await canvas.setContent(drawing(accent, berths));
    return canvas.screenshot();
  };
  const first = await upload("desk.png", await draw("#0b6e75", 10), {
    issue: "464",
    title: "Night palette of the harbour desk",
    tags: "desk,night",
  });
  await judge(first, "rejected", "Free berths have a contrast of 2.9. Nothing on the desk goes below 4.5.");
  const second = await upload("desk.png", await draw("#7a3b69", 13), {
    ...{ replaces: first, issue: "464", description: "Purple instead of teal; three more berths fit.\nContrast is 5.1 now." },
  });
  await canvas.setContent(
    `<h1>Plan of the outer jetty</h1>${"<p>Every berth has water, power and a number. The last one is for guests.</p>".repeat(60)}`,
  );
  const plan = await canvas.pdf({ format: "A4" });
  await canvas.close();
  const textOne = await upload("report.html", report(["parses an empty log", "keeps the order", "fails on 12 MB"]), {
    title: "Check report",
  });
  const textTwo = await upload(
    "report.html",
    report(["parses an empty log", "keeps the order of equal times", "reads 12 MB", "says which line is bad"]),
    {
      replaces: textOne,
    },
  );
  const video = await upload("walk.mp4", mp4({ width: 640, height: 360 }), { title: "A walk through the booking" });
  const sound = await upload("bell.wav", wav(3), { title: "Bell of the night watch" });
  const paper = await upload("plan.pdf", plan, { title: "Plan of the outer jetty" });
  const blob = await upload("gauges.bin", new Uint8Array(40_000).fill(7), { title: "Gauges, raw" });
  const long = await upload("a.txt", "Tide tables\n\n00:12  0.4 m\n06:31  3.9 m\n", {
    title: `${"An exceedingly long title that goes on, ".repeat(4)}and ends`,
  });
  const approved = await upload("jetty.txt", "approved\n", { title: "Opening hours" });
  await judge(approved, "approved");

  const pages = {
    feed: "/",
    "feed-empty": "/?actor=agent:nobody",
    projects: "/projects",
    project: "/projects/harbor",
    assets: "/assets",
    "assets-list": "/assets?as=list",
    queue: "/assets?status=pending&project=harbor",
    "assets-empty": "/assets?project=tern&kind=pdf",
    desk: `/assets/${second}`,
    "desk-side": `/assets/${second}?with=${first}`,
    "desk-wipe": `/assets/${second}?with=${first}&mode=wipe`,
    "desk-flicker": `/assets/${second}?with=${first}&mode=flicker`,
    "desk-difference": `/assets/${second}?with=${first}&mode=difference`,
    "desk-text": `/assets/${textTwo}?with=${textOne}&mode=text`,
    "desk-html": `/assets/${textTwo}`,
    "desk-video": `/assets/${video}`,
    "desk-audio": `/assets/${sound}`,
    "desk-pdf": `/assets/${paper}`,
    "desk-file": `/assets/${blob}`,
    "desk-long": `/assets/${long}`,
    "desk-approved": `/assets/${approved}`,
    "desk-superseded": `/assets/${first}`,
    method: "/methodology",
    api: "/docs/api",
    design: "/docs/design",
    missing: "/projects/nowhere",
  };
  return { server, token, pages, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
