/**
 * A real browser for the tests of the pages: Chromium as a package brings it on Linux x64, elsewhere an
 * installed Chrome or the one that SVC_TEST_BROWSER names. Where there is none, the tests that need one say
 * that they are skipped.
 */
import { existsSync } from "node:fs";
import packaged from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { until } from "./harness.ts";

const installed = [
  "/usr/bin/google-chrome",
  "/usr/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

async function findBrowser(): Promise<string | null> {
  const named = process.env.SVC_TEST_BROWSER;
  if (named) return named;
  if (process.platform === "linux" && process.arch === "x64") return packaged.executablePath();
  return installed.find((path) => existsSync(path)) ?? null;
}

/** Null: there is none here. */
export const browserPath = await findBrowser();
if (!browserPath)
  process.stderr.write("the browser tests are skipped: no Chrome was found, SVC_TEST_BROWSER names one\n");

/**
 * None of the flags that the package proposes: they switch off what the tests are about, such as the
 * same-origin policy.
 */
export async function openBrowser(): Promise<Browser> {
  let browser: Browser | undefined;
  const launch = async () => {
    browser = await chromium
      .launch({ executablePath: browserPath as string, args: ["--no-sandbox"] })
      .catch(() => undefined);
    return browser !== undefined;
  };
  // Another file of the suite may just be unpacking it.
  await until(launch, "the browser starts");
  return browser as Browser;
}

export interface BrowserSession extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /**
   * What must never happen on a page of ours: errors of scripts, reports of the policy, requests to other
   * hosts.
   */
  faults: string[];
  /** Every request so far, `GET http://…`. */
  requests: string[];
}

export interface BrowserSessionOptions extends BrowserContextOptions {
  /** Origins beside the site that a page may ask, as its policy says. */
  otherOrigins?: string[];
  /** Those of a session that is open already. */
  cookies?: { name: string; value: string; url: string }[];
}

/** Somebody with a browser of their own in front of the site. */
export async function openBrowserSession(
  browser: Browser,
  site: string,
  { otherOrigins = [], cookies = [], ...options }: BrowserSessionOptions = {},
): Promise<BrowserSession> {
  const context = await browser.newContext({ baseURL: site, ...options });
  await context.addCookies(cookies);
  const faults: string[] = [];
  const requests: string[] = [];
  const welcome = new Set([site, ...otherOrigins]);
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    requests.push(`${request.method()} ${request.url()}`);
    if (/^(https?|wss?):$/.test(protocol) && !welcome.has(origin)) faults.push(`asked ${request.url()}`);
  });
  context.on("weberror", (error) => faults.push(`script: ${error.error().message}`));
  context.on("console", (message) => {
    // A refusal is an answer; the tests look at it themselves.
    const isAnswer = message.text().startsWith("Failed to load resource: the server responded");
    if (message.type() === "error" && !isAnswer) faults.push(`console: ${message.text()}`);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  return { page, context, faults, requests, [Symbol.asyncDispose]: () => context.close() };
}

/** Goes on by Tab until the element has the focus, as somebody without a mouse does. */
export async function tabTo(page: Page, target: Locator, backwards = false): Promise<void> {
  for (let step = 0; step < 200; step++) {
    if ((await target.and(page.locator(":focus")).count()) > 0) return;
    await page.keyboard.press(backwards ? "Shift+Tab" : "Tab");
  }
  throw new Error(`Tab does not reach ${target}`);
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Token").fill(token);
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}
