/**
 * A real browser for the page tests: packaged Chromium on Linux x64, elsewhere an installed Chrome, or the
 * path in SVC_TEST_BROWSER. Without a browser these tests are skipped, with a message.
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { hasPackaged, unpackOnce } from "./packaged.ts";

const installed = [
  "/usr/bin/google-chrome",
  "/usr/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

async function findBrowser(): Promise<string | null> {
  const named = process.env.SVC_TEST_BROWSER;
  if (named) return named;
  if (hasPackaged) return unpackOnce();
  return installed.find((path) => existsSync(path)) ?? null;
}

/** Null if there is no browser. */
export const browserPath = await findBrowser();
if (!browserPath)
  process.stderr.write("skipping the browser tests: no Chrome found; set SVC_TEST_BROWSER to its path\n");

/** A page lives too short for optimized machine code to pay: compiling it takes longer than it saves. */
const compileLittle = "--js-flags=--no-opt --no-maglev";

/** At the limit, the browser starts no process in advance, and one serves all pages of a site and a context. */
const startFewProcesses = "--renderer-process-limit=1";

const flags = ["--no-sandbox", compileLittle, startFewProcesses];

let shared: Browser | undefined;
/** The folder of this process: that of a test file is removed while the shared browser still runs in it. */
const processFolder = tmpdir();

/**
 * Returns the browser that all test files of this process share, since a start costs more than a small test:
 * `close` closes what was opened in it, and it ends with the process.
 */
export async function openBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) {
    const { TMPDIR } = process.env;
    process.env.TMPDIR = processFolder;
    const launched = await launchBrowser();
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    const close = async () => void (await Promise.all(launched.contexts().map((one) => one.close())));
    shared = Object.assign(launched, { close, [Symbol.asyncDispose]: close });
  }
  return shared;
}

/**
 * Launches without the flags that the package suggests: they disable what is tested, such as same-origin
 * checks.
 */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath as string, args: flags });
}

export interface BrowserSession extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** Script errors, policy violations and requests to other hosts: there must be none. */
  faults: string[];
  /** Requests so far, as `GET http://…`. */
  requests: string[];
}

export interface BrowserSessionOptions extends BrowserContextOptions {
  /** Origins beside the site that a page may ask, as its policy says. */
  otherOrigins?: string[];
  /** Cookies of an existing session. */
  cookies?: { name: string; value: string; url: string }[];
}

/** Opens an isolated browser context with one page. */
export async function openBrowserSession(
  browser: Browser,
  site: string,
  { otherOrigins = [], cookies = [], ...options }: BrowserSessionOptions = {},
): Promise<BrowserSession> {
  const context = await browser.newContext({ baseURL: site, ...options });
  await context.addCookies(cookies);
  const faults: string[] = [];
  const requests: string[] = [];
  const allowedOrigins = new Set([site, ...otherOrigins]);
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    requests.push(`${request.method()} ${request.url()}`);
    if (/^(https?|wss?):$/.test(protocol) && !allowedOrigins.has(origin))
      faults.push(`request to ${request.url()}`);
  });
  context.on("weberror", (error) => faults.push(`script: ${error.error().message}`));
  context.on("console", (message) => {
    // The tests check error responses themselves.
    const isAnswer = message.text().startsWith("Failed to load resource: the server responded");
    if (message.type() === "error" && !isAnswer) faults.push(`console: ${message.text()}`);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // a busy machine draws a page late
  return { page, context, faults, requests, [Symbol.asyncDispose]: () => context.close() };
}

/** Presses Tab until the element has focus, as a keyboard user does. */
export async function tabTo(page: Page, target: Locator, backwards = false): Promise<void> {
  for (let step = 0; step < 200; step++) {
    if ((await target.and(page.locator(":focus")).count()) > 0) return;
    await page.keyboard.press(backwards ? "Shift+Tab" : "Tab");
  }
  throw new Error(`${target} cannot be reached with Tab`);
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Token").fill(token);
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}
