/** The kinds of environment variables: how each is parsed, and what it allows. */
import { readFileSync } from "node:fs";
import type { Caller } from "./auth/caller.ts";
import { isScope } from "./auth/scopes.ts";
import { hashToken } from "./auth/token.ts";
import { splitList } from "./lib/strings/word-list.ts";
import { type PriceFile, readPriceFile } from "./telemetry/price-file.ts";

/** A variable is not valid. The message is one line: its name, its value and the allowed values. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** Parses the text of a variable; undefined if the value is not allowed. */
type Parse<T> = (text: string) => T | undefined;

export interface Variable<T> {
  defaultValue: string;
  meaning: string;
  allowed: string;
  parse: Parse<T>;
}

export const variable = <T>(
  defaultValue: string,
  meaning: string,
  allowed: string,
  parse: Parse<T>,
): Variable<T> => ({ defaultValue, meaning, allowed, parse });

export const text = (defaultValue: string, meaning: string, allowed = "text") =>
  variable(defaultValue, meaning, allowed, (value) => value);

/** Secrets of webhooks: several, as some senders create one for each webhook, and for a rotation. */
export const secrets = (meaning: string) =>
  variable("", `${meaning}, comma-separated. Without one, webhooks get a 501.`, "secrets", splitList);

/** The only secret of a webhook. */
export const secret = (meaning: string) =>
  variable("", `${meaning}. Without it, webhooks get a 501.`, "text", (value) => (value ? [value] : []));

/** 0 or 1; empty for "not set". */
export const flag = (defaultValue: "0" | "1" | "", meaning: string) =>
  variable(defaultValue, meaning, "0 or 1", (value) => ({ "0": false, "1": true, "": null })[value]);

/** One of some words; null for "not set". */
export const choice = <const T extends string>(
  values: readonly T[],
  meaning: string,
  defaultValue: T | "" = "",
) =>
  variable(defaultValue, meaning, values.join(" or "), (value) =>
    value === "" ? null : values.find((one) => one === value),
  );

/** A whole number in a range. */
export const integer = (defaultValue: number, min: number, max: number, meaning: string) =>
  variable(String(defaultValue), meaning, `a whole number from ${min} to ${max}`, (value) =>
    /^\d{1,16}$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined,
  );

/** A comma-separated list of values of one shape. */
export const list = (defaultValue: string, meaning: string, allowed: string, shape: RegExp) =>
  variable(defaultValue, meaning, allowed, (value) => {
    const items = splitList(value);
    return items.every((item) => shape.test(item)) ? items : undefined;
  });

/** An http or https URL without query and fragment. Trailing slashes are removed. */
export const url = (defaultValue: string, meaning: string) =>
  variable(defaultValue, meaning, "an http or https URL without a query", (value) => {
    if (value === "") return "";
    const parsed = URL.parse(value);
    return parsed && /^https?:$/.test(parsed.protocol) && !parsed.search && !parsed.hash
      ? value.replace(/\/+$/, "")
      : undefined;
  });

/** The URL of a host: paths of svc begin at its root. */
export const origin = (meaning: string) =>
  variable("", meaning, "an http or https URL of a host of its own, without a path", (value) => {
    if (value === "") return "";
    const plain = value.replace(/\/+$/, "");
    return /^https?:\/\/[^/?#]+$/.test(plain) && URL.canParse(plain) ? plain : undefined;
  });

/** The URL of a mail server. */
export const smtpUrl = (meaning: string) =>
  variable("", meaning, "smtp://[user:password@]host[:port] or smtps://…", (value) => {
    if (value === "") return "";
    const parsed = URL.parse(value);
    return parsed && /^smtps?:$/.test(parsed.protocol) && parsed.hostname ? value : undefined;
  });

/** An address that mails come from, with or without a name. */
export const sender = (meaning: string) =>
  variable("", meaning, "an address, or `name <address>`", (value) =>
    /^$|^[^\s@<>,;:"]+@[^\s@<>,;:"]+$|^[^<>\p{Cc},;:"]+ <[^\s@<>,;:"]+@[^\s@<>,;:"]+>$/u.test(value)
      ? value
      : undefined,
  );

export const store = (meaning: string) =>
  variable("local", meaning, "local, none or s3://bucket[/prefix]", (value) =>
    value === "local" ||
    value === "none" ||
    /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*$/.test(value)
      ? value
      : undefined,
  );

/** @throws {ConfigError} that says what is wrong with the file */
export function readPrices(path: string): PriceFile {
  const prices = readPriceFile(path);
  if (typeof prices === "string") throw new ConfigError(`SVC_PRICES: ${path} ${prices}`);
  return prices;
}

/** @returns the text of the file @throws {ConfigError} if it cannot be read, or holds no certificate */
export function readCertificates(path: string): string {
  const text = readText(path);
  if (text?.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw new ConfigError(
    `SVC_C2PA_TRUST: ${path} ${text === null ? "cannot be read" : "holds no certificate"}`,
  );
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Parses `SVC_API_TOKENS`; undefined if it is invalid. */
export function parseTokens(value: string): Map<string, Caller> | undefined {
  const tokens = new Map<string, Caller>();
  for (const entry of splitList(value, ";")) {
    const colon = entry.indexOf(":");
    const scopes = entry
      .slice(colon + 1)
      .split(",")
      .map((scope) => scope.trim());
    if (colon < 1 || !scopes.every(isScope)) return undefined;
    const hash = hashToken(entry.slice(0, colon).trim());
    tokens.set(hash, {
      name: `env:${hash.slice(0, 8)}`,
      scopes: new Set(scopes),
      projects: null,
      expiresAt: null,
    });
  }
  return tokens;
}
