/**
 * What an agent leaves behind when it renders all screens of a site again: most are as they were approved,
 * some changed alike, and a few are broken. A broken part takes 1 % of the area.
 */
import type { Browser } from "playwright-core";
import { must } from "../harness.ts";
import type { TestServer } from "../test-server.ts";

const [width, height] = [1000, 640];
/** 1 % of the area: a square, and a line of small text. */
const [square, line] = [
  { w: 80, h: 80 },
  { w: 256, h: 25 },
];

const faults = ["missing element", "shifted element", "wrong color", "small text gone"] as const;
export type Fault = (typeof faults)[number];

/** What was changed on purpose, each in the same way wherever it was. */
const changes = ["header color", "footer", "menu entry", "button color"] as const;
export type Change = (typeof changes)[number];

interface Screen {
  n: number;
  change?: Change | undefined;
  fault?: Fault | undefined;
}

/** In pixels. */
export interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface PlannedScreen extends Screen {
  title: string;
  /** Where it is broken; null if it is not. */
  place: Place | null;
}

const squareAt = (n: number): Place => ({ x: 860 - ((n * 37) % 300), y: 140 + ((n * 53) % 160), ...square });
const lineAt = (n: number): Place => ({ x: 260 + ((n * 29) % 200), y: 520 + ((n * 7) % 40), ...line });

/** @param size of the whole: of ten screens six are unchanged, three changed, and one is broken */
export function planScreens(size: number): PlannedScreen[] {
  return Array.from({ length: size }, (_, n) => {
    const isBroken = n % 10 === 7;
    const isChanged = n % 10 === 1 || n % 10 === 4 || n % 10 === 8;
    const at = Math.floor(n / 10);
    const fault = isBroken ? faults[at % faults.length] : undefined;
    // Half of those that are broken have a change that was wanted, too.
    const change = isChanged || (isBroken && at % 2 === 1) ? changes[(n + at) % changes.length] : undefined;
    const place = !fault ? null : fault === "small text gone" ? lineAt(n) : squareAt(n);
    return { n, title: `screen ${String(n).padStart(3, "0")}`, change, fault, place };
  });
}

/** The page of a screen. Each has its own title and table. */
function htmlOf({ n, change, fault }: Screen): string {
  const box = ({ x, y, w, h }: Place, more: string) =>
    `position:absolute;left:${x}px;top:${y}px;width:${w}px;height:${h}px;${more}`;
  const moved = { ...squareAt(n), ...(fault === "shifted element" && { x: squareAt(n).x + 26 }) };
  const color = fault === "wrong color" ? "#c2571a" : "#2b7a4b";
  const gone = (one: Fault) => (fault === one ? "visibility:hidden" : "");
  const rows = Array.from(
    { length: 9 },
    (_, row) =>
      `<tr><td>Ship ${(n * 31 + row * 17) % 997}<td>${(n + row * 5) % 24}:${10 + ((n * row) % 50)}<td>Berth ${(n + row) % 9}`,
  );
  return `<!doctype html><body style="margin:0;font:15px sans-serif;color:#222">
    <header style="background:${change === "header color" ? "#5b2a86" : "#234a8a"};color:#fff;padding:16px 20px;font-size:20px">Harbor ${n}</header>
    <nav style="position:absolute;left:0;top:56px;width:180px;padding:14px 20px;line-height:34px">Berths<br>Pilots<br>Tides<br>${change === "menu entry" ? "Invoices" : ""}</nav>
    <main style="position:absolute;left:240px;top:70px"><h1 style="font-size:22px">Arrivals at quay ${n % 12}</h1>
    <table cellpadding=6>${rows.join("")}</table></main>
    <button style="position:absolute;left:30px;top:420px;width:150px;height:48px;border:0;color:#fff;background:${change === "button color" ? "#9a3324" : "#0b57d0"}">Report</button>
    <div style="${box(moved, `background:${color};color:#fff;font:bold 34px/80px sans-serif;text-align:center;${gone("missing element")}`)}">${n % 10}${n % 7}</div>
    <p style="${box(lineAt(n), `margin:0;font-size:12px;line-height:12px;${gone("small text gone")}`)}">All times are in UTC and given without any warranty of the harbor office of quay ${n % 12}.</p>
    <footer style="position:absolute;left:0;top:604px;width:100%;height:36px;${change === "footer" ? "background:#eceff3" : ""}"></footer>`;
}

/** How a file that shows the same was stored again: the same bytes, a smaller PNG, or a lossless WebP. */
const storedAgain: ((png: Uint8Array) => Promise<Uint8Array>)[] = [
  async (png) => png,
  (png) => new Bun.Image(png).png({ compressionLevel: 9 }).bytes(),
  (png) => new Bun.Image(png).webp({ lossless: true }).bytes(),
];

/** Uploads the screens, approves them, and uploads the versions that an agent made of them later. */
export async function uploadScreens(
  { upload, api }: Pick<TestServer, "upload" | "api">,
  browser: Browser,
  screens: readonly PlannedScreen[],
): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  const shoot = async (screen: Screen) => {
    await page.setContent(htmlOf(screen));
    return page.screenshot();
  };
  for (const screen of screens) {
    const { n, title, change, fault } = screen;
    const before = await shoot({ n });
    const isSame = !change && !fault;
    const after = isSame ? await must(storedAgain[n % storedAgain.length])(before) : await shoot(screen);
    const { id } = await upload(`${title}.png`, before, { title });
    await api("PUT", `/assets/${id}/review`, { decision: "approved" });
    await upload(`${title}.png`, after, { title, replaces: id });
  }
  await context.close();
}
