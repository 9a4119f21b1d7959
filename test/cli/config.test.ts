/**
 * The configuration: every variable with its default, one line per mistake, and all of them on the
 * Configuration page.
 */
import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { hashToken } from "../../src/core/auth/token.ts";
import { readConfig, variables } from "../../src/core/config.ts";
import { must, openApp, program, temporaryFolder } from "../support/harness.ts";

/** The documented defaults; empty if derived from another variable. */
const defaults: Record<string, string> = {
  SVC_DATA_DIR: ".",
  SVC_DATABASE_URL: "",
  SVC_DATABASE_READ_URL: "",
  SVC_POSTGRES_PARTITIONS: "",
  SVC_DATA_MODE: "db",
  SVC_ASSET_STORE: "local",
  SVC_PUBLIC_STORE: "local",
  SVC_PUBLIC_BASE_URL: "",
  SVC_HOST: "127.0.0.1",
  SVC_PORT: "8787",
  SVC_SITE_URL: "",
  SVC_SMTP_URL: "",
  SVC_OIDC_ISSUER: "",
  SVC_OIDC_CLIENT_ID: "",
  SVC_OIDC_CLIENT_SECRET: "",
  SVC_OIDC_SCOPE: "openid profile email",
  SVC_OIDC_GROUPS_CLAIM: "groups",
  SVC_OIDC_ACCESS: "",
  SVC_OIDC_LABEL: "",
  SVC_MAIL_FROM: "",
  SVC_PUBLIC_READ: "",
  SVC_HIDE_PERSONS: "",
  SVC_API_TOKENS: "",
  SVC_MEMORY_TOKEN: "",
  SVC_RATE_LIMIT: "60/60",
  SVC_ALLOWED_HOSTS: "",
  SVC_CORS_ORIGINS: "",
  SVC_CONTENT_URL: "",
  SVC_TRUST_PROXY: "0",
  SVC_SIGNING_SECRET: "",
  SVC_LANES: "lane_a,lane_b,lane_c",
  SVC_MAX_UPLOAD_BYTES: "2147483648",
  SVC_UPLOAD_TTL: "3600",
  SVC_VIEW_TTL: "3600",
  SVC_WEBHOOK_ALLOW: "",
  SVC_RETENTION_DAYS: "30",
  SVC_SHARE_DAYS: "366",
  SVC_RUN_TIMEOUT: "1800",
  SVC_PRICES: "",
  SVC_C2PA_TRUST: "",
  SVC_GITHUB_TOKEN: "",
  SVC_GITHUB_API_URL: "https://api.github.com",
  SVC_GITHUB_WEBHOOK_SECRET: "",
  SVC_GITLAB_TOKEN: "",
  SVC_GITLAB_API_URL: "https://gitlab.com/api/v4",
  SVC_GITLAB_WEBHOOK_SECRET: "",
  SVC_GITEA_TOKEN: "",
  SVC_GITEA_API_URL: "https://gitea.com/api/v1",
  SVC_GITEA_WEBHOOK_SECRET: "",
  SVC_BITBUCKET_TOKEN: "",
  SVC_BITBUCKET_API_URL: "https://api.bitbucket.org/2.0",
  SVC_BITBUCKET_WEBHOOK_SECRET: "",
  SVC_VERCEL_WEBHOOK_SECRET: "",
  SVC_NETLIFY_WEBHOOK_SECRET: "",
  SVC_CLOUDFLARE_WEBHOOK_SECRET: "",
};

test("every variable exists with its default", () => {
  expect(
    Object.fromEntries(Object.entries(variables).map(([name, one]) => [name, one.defaultValue])),
  ).toEqual(defaults);
});

test("the Configuration page lists every variable with its default and its meaning, and no other", async () => {
  await using app = await openApp("sqlite");
  const page = await (await app.ask("/docs/configuration.md")).text();
  const rows = [...page.matchAll(/^\| `(SVC_\w+)` \| (?:`([^`]*)`)? ?\| (.+) \|$/gm)];
  expect(rows.map(([, name, byDefault = "", meaning]) => [name, byDefault, meaning])).toEqual(
    Object.entries(variables).map(([name, one]) => [name, one.defaultValue, one.meaning]),
  );
});

test("the defaults are a loopback server on a SQLite file, with a rate limit and without public read", () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    ...{
      mock: false,
      databaseUrl: `sqlite:${resolve(".")}/svc.db`,
      host: "127.0.0.1",
      port: 8787,
      siteUrl: "http://127.0.0.1:8787",
    },
    ...{
      publicRead: false,
      rateLimit: { quota: 60, seconds: 60 },
      trustProxy: false,
      lanes: ["lane_a", "lane_b", "lane_c"],
    },
  });
  expect(config.tokens.size).toBe(0);
});

test("unset values are derived from set ones", () => {
  expect(readConfig({ SVC_DATA_DIR: "/srv/svc/" }).databaseUrl).toBe("sqlite:/srv/svc/svc.db");
  expect(readConfig({ SVC_DATA_DIR: "/srv", SVC_DATABASE_URL: "sqlite:/else/x.db" }).databaseUrl).toBe(
    "sqlite:/else/x.db",
  );
  expect(readConfig({ SVC_DATA_MODE: "mock", SVC_DATABASE_URL: "postgres://h/d" })).toMatchObject({
    ...{ mock: true, databaseUrl: "sqlite::memory:", publicRead: true },
    ...{ assetStore: "demo", publicStore: "demo" },
  });
  expect(readConfig({ SVC_DATA_MODE: "mock", SVC_ASSET_STORE: "none" })).toMatchObject({
    assetStore: "none",
    publicStore: "demo",
  });
  expect(readConfig({ SVC_DATA_MODE: "mock", SVC_PUBLIC_READ: "0" }).publicRead).toBe(false);
  expect(readConfig({ SVC_HOST: "10.0.0.1", SVC_PORT: "80" }).siteUrl).toBe("http://10.0.0.1:80");
  for (const host of ["0.0.0.0", "::"])
    expect(readConfig({ SVC_HOST: host }).siteUrl).toBe("http://localhost:8787");
  expect(readConfig({ SVC_HOST: "::1" }).siteUrl).toBe("http://[::1]:8787");
  expect(readConfig({ SVC_SITE_URL: "https://svc.example/" }).siteUrl).toBe("https://svc.example");
});

test("an empty variable counts as unset, and values are trimmed", () => {
  const empty = Object.fromEntries(Object.keys(variables).map((name) => [name, " "]));
  expect(JSON.stringify(readConfig(empty))).toBe(JSON.stringify(readConfig({})));
  expect(readConfig({ SVC_PORT: " 80 ", SVC_LANES: " a , b ,", SVC_RATE_LIMIT: "off" })).toMatchObject({
    ...{ port: 80, lanes: ["a", "b"], rateLimit: null },
  });
});

test("tokens are stored by hash only, with a name that reveals nothing", () => {
  const { tokens } = readConfig({
    SVC_API_TOKENS: "one:feed:read; two:feed:read,feed:write;",
    SVC_MEMORY_TOKEN: "three",
  });
  const [one, two, three] = ["one", "two", "three"].map((token) => tokens.get(hashToken(token)));
  expect([one?.name, three?.name]).toEqual([`env:${hashToken("one").slice(0, 8)}`, "memory"]);
  expect([one, two, three].map((caller) => [...must(caller).scopes])).toEqual([
    ["feed:read"],
    ["feed:read", "feed:write"],
    allScopes,
  ]);
  expect(JSON.stringify([...tokens])).not.toMatch(/"(one|two|three)"/);
});

const mistakes: [keyof typeof variables, string[]][] = [
  ["SVC_DATABASE_URL", ["svc.db", "mysql://h/d", "sqlite:", "postgres:/h", "http://h"]],
  ["SVC_DATA_MODE", ["demo", "MOCK", "0"]],
  ["SVC_ASSET_STORE", ["disk", "s3://", "s3:bucket", "s3://UPPER", "s3://bucket/a b", "file:///x"]],
  ["SVC_PUBLIC_STORE", ["disk", "s3://x", "s3://bucket/../x?"]],
  [
    "SVC_PUBLIC_BASE_URL",
    ["cdn.example", "ftp://cdn.example", "https://cdn.example/?x=1", "https://cdn.example/#x"],
  ],
  ["SVC_PORT", ["-1", "65536", "8787.5", "http", "0x50", "1e3", "80 80"]],
  [
    "SVC_SITE_URL",
    [
      "svc.example",
      "ftp://svc.example",
      "https://svc.example/?x",
      "javascript:alert(1)",
      "//svc.example",
      "https://a.example/svc",
    ],
  ],
  ["SVC_HIDE_PERSONS", ["2"]],
  ["SVC_PUBLIC_READ", ["2", "true", "yes", "on"]],
  [
    "SVC_API_TOKENS",
    [
      "secret-token",
      "secret-token:",
      "secret-token:feed:read,everything",
      ":feed:read",
      "a:feed:read;secret-token:FEED:READ",
    ],
  ],
  ["SVC_POSTGRES_PARTITIONS", ["month", "YEAR", "1"]],
  ["SVC_RATE_LIMIT", ["60", "0/60", "60/0", "-1/60", "60/60/60", "OFF", "60 per minute", "6e1/60"]],
  ["SVC_ALLOWED_HOSTS", ["https://svc.example", "svc example", "a/b", "*"]],
  [
    "SVC_CORS_ORIGINS",
    ["app.example", "https://app.example/", "https://*.example", "null", "ftp://app.example"],
  ],
  ["SVC_CONTENT_URL", ["bytes.example", "https://bytes.example?x", "https://a.example/svc/"]],
  ["SVC_TRUST_PROXY", ["2", "true"]],
  ["SVC_LANES", ["a b", "lane/a", ",", "é", "a".repeat(65)]],
  ["SVC_MAX_UPLOAD_BYTES", ["0", "-1", "2GB", "9007199254740992"]],
  ["SVC_UPLOAD_TTL", ["0", "604801", "1h"]],
  ["SVC_VIEW_TTL", ["0", "604801", "1h"]],
  ["SVC_SHARE_DAYS", ["0", "367", "weeks"]],
  ["SVC_RETENTION_DAYS", ["-1", "36501", "month"]],
  ["SVC_GITHUB_API_URL", ["api.github.com", "ftp://x"]],
];

test.each(mistakes)("%s with a bad value is a one-line error with the allowed values", (name, values) => {
  for (const value of values) {
    const error = ((): Error => {
      try {
        readConfig({ [name]: value });
      } catch (error) {
        return error as Error;
      }
      throw new Error(`${name} took ${value}`);
    })();
    expect([value, error.name]).toEqual([value, "ConfigError"]);
    const isSecret = name === "SVC_API_TOKENS" || name === "SVC_DATABASE_URL";
    const text = isSecret ? "not valid" : value === "," ? "empty" : JSON.stringify(value);
    expect(error.message).toStartWith(`${name} is ${text}; allowed: `);
    expect(error.message.split("\n").length).toBe(1);
  }
});

test("a read replica needs the Postgres that it follows", () => {
  const replica = { SVC_DATABASE_READ_URL: "postgres://svc@two/svc" };
  for (const other of [{}, { SVC_DATABASE_URL: "sqlite::memory:" }])
    expect(() => readConfig({ ...replica, ...other })).toThrow(/SVC_DATABASE_URL has to name its primary/);
  const both = readConfig({ ...replica, SVC_DATABASE_URL: "postgres://svc@one/svc" });
  expect(both.databaseReadUrl).toBe(replica.SVC_DATABASE_READ_URL);
});

test("a bucket needs both keys or none", () => {
  const bucket = { SVC_ASSET_STORE: "s3://acme" };
  const key = { S3_ACCESS_KEY_ID: "key" };
  for (const half of [key, { AWS_SECRET_ACCESS_KEY: "secret" }])
    expect(() => readConfig({ ...bucket, ...half })).toThrow(/S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY/);
  expect(readConfig(bucket).s3.accessKeyId).toBe("");
  expect(readConfig({ ...bucket, ...key, AWS_SECRET_ACCESS_KEY: "secret" }).s3).toMatchObject({
    accessKeyId: "key",
    secretAccessKey: "secret",
  });
});

test("a bad database URL does not print its password", () => {
  expect(() => readConfig({ SVC_DATABASE_URL: "mysql://svc:hunter2@h/d" })).toThrow(
    /^SVC_DATABASE_URL is not valid; allowed: sqlite:/,
  );
});

describe("the program", () => {
  test("exits on a bad value with that line only, for every command", async () => {
    for (const args of [["serve"], ["token", "list"], ["project", "list"]]) {
      const { code, output, errors } = await program(args, { SVC_RATE_LIMIT: "lots\nof" });
      expect([code, output, errors]).toEqual([
        1,
        "",
        'svc: SVC_RATE_LIMIT is "lots\\nof"; allowed: <quota>/<seconds> or off\n',
      ]);
    }
  });

  test("prefers a flag over its variable", async () => {
    await using folder = await temporaryFolder();
    const { code, errors } = await program(
      ["project", "link", "atlas", "--repo", "a/b", "-q", "--data-dir", folder.path],
      {
        SVC_DATA_DIR: "/nonexistent/\u0001",
      },
    );
    expect([code, errors]).toEqual([0, ""]);
  });
});
