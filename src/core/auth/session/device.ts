/** The browser and the system of a `User-Agent` header, in words that people recognize their device by. */

/** The first that matches: later names are also in the headers of browsers before them. */
const browsers: readonly [pattern: RegExp, name: string][] = [
  [/\bEdg(A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|Chromium|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

const nameIn = (names: typeof browsers, text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** `Chrome on Windows`; null for a program that is no browser. */
export function deviceOf(userAgent: string | undefined): string | null {
  const [browser, system] = [browsers, systems].map((names) => nameIn(names, userAgent ?? ""));
  return browser && system ? `${browser} on ${system}` : (browser ?? system ?? null);
}
