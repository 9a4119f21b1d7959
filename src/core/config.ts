/**
 * The environment variables: name, default, description and allowed values. They are parsed once, at startup.
 */
import { resolve } from "node:path";
import type { Caller } from "./auth/caller.ts";
import { oidcVariables, readOidcConfig } from "./auth/oidc/config.ts";
import { allScopes } from "./auth/scopes.ts";
import { hashToken } from "./auth/token.ts";
import {
  ConfigError,
  choice,
  flag,
  integer,
  list,
  origin,
  parseTokens,
  readCertificates,
  readPrices,
  sender,
  smtpUrl,
  store,
  text,
  url,
  type Variable,
  variable,
} from "./config-parsers.ts";
import {
  apiVariable,
  forgeNames,
  forgeVariables,
  previewVariables,
  secretVariable,
  senderNames,
  tokenVariable,
} from "./forges/schema.ts";
import { parseAllowList } from "./lib/http/allow-list.ts";
import { urlHost } from "./lib/http/hosts.ts";

const isPostgresUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);

export const variables = {
  SVC_DATA_DIR: text(".", "Folder of `svc.db` and `assets-local/`, unless configured elsewhere.", "a folder"),
  SVC_DATABASE_URL: variable(
    "",
    "`sqlite:<path>`, `sqlite::memory:` or `postgres://…`. Defaults to `sqlite:<data dir>/svc.db`.",
    "sqlite:<path>, sqlite::memory: or postgres://…",
    (value) => (value === "" || /^sqlite:.+/.test(value) || isPostgresUrl(value) ? value : undefined),
  ),
  SVC_DATABASE_READ_URL: variable(
    "",
    "A standby of the Postgres in `SVC_DATABASE_URL` that answers [long reads](/docs/scaling#read-replica).",
    "postgres://…",
    (value) => (value === "" || isPostgresUrl(value) ? value : undefined),
  ),
  SVC_POSTGRES_PARTITIONS: choice(["year"], "`year`: [partition](/docs/scaling#partitions) a new Postgres."),
  SVC_DATA_MODE: choice(["db", "mock"], "`mock` serves read-only demo data from memory.", "db"),
  SVC_ASSET_STORE: store(
    "Store for private files: `local` (`<data dir>/assets-local/private`), `s3://bucket[/prefix]` or `none`.",
  ),
  SVC_PUBLIC_STORE: store(
    "Store for published files: `local` (served at `/media/…`), `s3://bucket[/prefix]` or `none`.",
  ),
  SVC_PUBLIC_BASE_URL: url("", "Base URL of published files. Defaults to the URL of the public store."),
  SVC_HOST: text("127.0.0.1", "Host to bind.", "a hostname or IP address"),
  SVC_PORT: integer(8787, 0, 65535, "Port to listen on; 0 picks a free port."),
  SVC_SITE_URL: origin("Public URL, used in absolute links. Defaults to `http://<host>:<port>`."),
  SVC_PUBLIC_READ: flag(
    "",
    "1: reading the feed and memory needs no token. Defaults to 1 in mock mode, else 0.",
  ),
  SVC_HIDE_PERSONS: flag("", "1: only admins see [persons](/docs/people#hide-persons), and each their own."),
  SVC_API_TOKENS: variable(
    "",
    "Tokens in addition to those in the database: `<token>:<scope>,<scope>;<token2>:<scope>`.",
    `<token>:<scope>,<scope>;… with scopes of ${allScopes.join(", ")}`,
    parseTokens,
  ),
  SVC_MEMORY_TOKEN: text("", "A shared token with every scope."),
  SVC_RATE_LIMIT: variable(
    "60/60",
    "Requests each client may send, as `<quota>/<seconds>`, or `off`.",
    "<quota>/<seconds> or off",
    (value) => {
      if (value === "off") return null;
      const [, quota, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(value) ?? [];
      return quota && seconds ? { quota: Number(quota), seconds: Number(seconds) } : undefined;
    },
  ),
  SVC_ALLOWED_HOSTS: list(
    "",
    "Extra hostnames to accept. The hostname of the site and loopback names are always accepted.",
    "hostnames, comma-separated",
    /^[A-Za-z0-9.:[\]-]+$/,
  ),
  SVC_CORS_ORIGINS: list(
    "",
    "Origins allowed to read the API from a browser (CORS), or `*` for all. None by default.",
    "origins such as https://app.example.com, comma-separated, or *",
    /^(\*|https?:\/\/[a-z0-9.:[\]-]+)$/,
  ),
  SVC_CONTENT_URL: origin("Separate origin for uploaded files. Defaults to the site URL."),
  SVC_TRUST_PROXY: flag("0", "1: take the client IP from the last entry of `X-Forwarded-For`."),
  SVC_SIGNING_SECRET: text(
    "",
    "Key for signed URLs and CSRF tokens. By default one is generated and stored in the database.",
  ),
  SVC_LANES: list(
    "lane_a,lane_b,lane_c",
    "Lane names, comma-separated.",
    "words of letters, digits, - and _, comma-separated",
    /^[\w-]{1,64}$/,
  ),
  SVC_MAX_UPLOAD_BYTES: integer(2_147_483_648, 1, Number.MAX_SAFE_INTEGER, "Maximum file size in bytes."),
  SVC_UPLOAD_TTL: integer(3600, 1, 604_800, "How long a presigned upload URL is valid, in seconds."),
  SVC_VIEW_TTL: integer(3600, 1, 604_800, "How long a signed file URL is valid, in seconds."),
  SVC_RETENTION_DAYS: integer(30, 0, 36_500, "Days to keep the files of rejected and superseded versions."),
  SVC_SHARE_DAYS: integer(366, 1, 366, "Days that a share link can work from its creation or last renewal."),
  SVC_RUN_TIMEOUT: integer(1800, 1, 31_536_000, "Seconds without an event until a running run is lost."),
  SVC_PRICES: variable(
    "",
    "JSON file of model prices that replace built-in ones, for telemetry that names no cost.",
    "a JSON file, see /docs/connect",
    (path) => (path === "" ? null : readPrices(path)),
  ),
  SVC_C2PA_TRUST: variable(
    "",
    "PEM file of the certificate authorities whose C2PA signatures are trusted. None by default.",
    "a PEM file of certificates",
    (path) => (path === "" ? "" : readCertificates(path)),
  ),
  ...forgeVariables,
  ...previewVariables,
  SVC_SMTP_URL: smtpUrl(
    "Mail server for email digests: port 587 with STARTTLS, or `smtps://`. Off by default.",
  ),
  SVC_MAIL_FROM: sender("Sender of email. Defaults to `svc <svc@<host of the site>>`."),
  SVC_WEBHOOK_ALLOW: variable(
    "",
    "Hosts of your own network that webhooks may be sent to, also by http: names and networks (CIDR).",
    "hostnames and networks such as chat.internal,10.0.0.0/8, comma-separated",
    parseAllowList,
  ),
  ...oidcVariables,
};

export type VariableName = keyof typeof variables;
type Values = { [N in VariableName]: (typeof variables)[N] extends Variable<infer T> ? T : never };
export type Environment = Partial<Record<string, string>>;

const ofEach = <N extends string, T>(names: readonly N[], make: (name: N) => T) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<N, T>;

/** Variables whose value may hold a secret, so error messages leave it out. */
const secretVariables: ReadonlySet<string> = new Set<VariableName>([
  "SVC_API_TOKENS",
  "SVC_DATABASE_URL",
  "SVC_DATABASE_READ_URL",
  "SVC_SMTP_URL",
]);

function readVariable<T>(name: string, { defaultValue, allowed, parse }: Variable<T>, env: Environment): T {
  const value = env[name]?.trim() || defaultValue;
  const result = parse(value);
  if (result !== undefined) return result;
  throw new ConfigError(
    `${name} is ${secretVariables.has(name) ? "not valid" : JSON.stringify(value)}; allowed: ${allowed}`,
  );
}

/** Where files are stored: nowhere, embedded in the program (demo), in a folder or in an S3 bucket. */
export type StoreLocation = "none" | "demo" | { folder: string } | { bucket: string; prefix: string };

function parseLocation(value: string, folder: string): StoreLocation {
  if (value === "none") return "none";
  if (value === "local") return { folder };
  const [bucket = "", ...prefix] = value.slice("s3://".length).split("/");
  return { bucket, prefix: prefix.join("/") };
}

/** S3 settings from `S3_…` variables, or the `AWS_…` names that other S3 tools read. */
function s3Settings(env: Environment, locations: StoreLocation[]) {
  const read = (name: string) => env[`S3_${name}`]?.trim() || env[`AWS_${name}`]?.trim() || "";
  const region = read("REGION") || "us-east-1";
  const s3 = {
    endpoint: (read("ENDPOINT") || `https://s3.${region}.amazonaws.com`).replace(/\/+$/, ""),
    region,
    accessKeyId: read("ACCESS_KEY_ID"),
    secretAccessKey: read("SECRET_ACCESS_KEY"),
    sessionToken: read("SESSION_TOKEN"),
  };
  const isUsed = locations.some((location) => typeof location === "object" && "bucket" in location);
  if (isUsed && !s3.accessKeyId !== !s3.secretAccessKey)
    throw new ConfigError(
      "S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together; set both, or neither to use an IAM role",
    );
  if (isUsed && !/^https?:\/\/[^/?#]+/.test(s3.endpoint))
    throw new ConfigError(`S3_ENDPOINT is ${JSON.stringify(s3.endpoint)}; allowed: an http or https URL`);
  return s3;
}

/**
 * Parses the configuration. @param env the environment, overridden by command-line flags
 * @throws {ConfigError} for the first variable that is not valid
 */
export function readConfig(env: Environment) {
  const value = Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [name, readVariable<unknown>(name, variable, env)]),
  ) as Values;
  const dataDir = resolve(value.SVC_DATA_DIR);
  const mock = value.SVC_DATA_MODE === "mock";
  const siteUrl = value.SVC_SITE_URL || `http://${urlHost(value.SVC_HOST)}:${value.SVC_PORT}`;
  if (value.SVC_LANES.length === 0)
    throw new ConfigError("SVC_LANES is empty; allowed: words of letters, digits, - and _, comma-separated");
  if (value.SVC_DATABASE_READ_URL && !isPostgresUrl(value.SVC_DATABASE_URL))
    throw new ConfigError(
      "SVC_DATABASE_READ_URL is set, so SVC_DATABASE_URL has to name its primary, as postgres://…",
    );
  /** Mock mode stores no files and serves the embedded demo files. */
  const locationOf = (store: string, folder: string) =>
    mock && store !== "none" ? ("demo" as const) : parseLocation(store, `${dataDir}/assets-local/${folder}`);
  const stores = {
    assetStore: locationOf(value.SVC_ASSET_STORE, "private"),
    publicStore: locationOf(value.SVC_PUBLIC_STORE, "public"),
  };
  const tokens = new Map(value.SVC_API_TOKENS);
  if (value.SVC_MEMORY_TOKEN)
    tokens.set(hashToken(value.SVC_MEMORY_TOKEN), {
      name: "memory",
      scopes: new Set(allScopes),
      projects: null,
      expiresAt: null,
    });
  return {
    mock,
    /** The absolute path of `SVC_DATA_DIR`. */
    dataDir,
    databaseUrl: mock ? "sqlite::memory:" : value.SVC_DATABASE_URL || `sqlite:${dataDir}/svc.db`,
    postgresPartitions: value.SVC_POSTGRES_PARTITIONS,
    databaseReadUrl: mock ? "" : value.SVC_DATABASE_READ_URL,
    host: value.SVC_HOST,
    port: value.SVC_PORT,
    siteUrl,
    /** `SVC_SITE_URL` is not set, so the URL is derived from the host and port. */
    siteIsDerived: !value.SVC_SITE_URL,
    /** Accepted hostnames in addition to the one of the site and the loopback names. */
    allowedHosts: value.SVC_ALLOWED_HOSTS,
    /** Origins allowed to read the API (CORS); `*` allows all. */
    corsOrigins: value.SVC_CORS_ORIGINS as readonly string[],
    publicRead: value.SVC_PUBLIC_READ ?? mock,
    hidePersons: value.SVC_HIDE_PERSONS === true,
    tokens: tokens as ReadonlyMap<string, Caller>,
    rateLimit: value.SVC_RATE_LIMIT,
    trustProxy: value.SVC_TRUST_PROXY === true,
    lanes: value.SVC_LANES,
    signingSecret: value.SVC_SIGNING_SECRET,
    /** Empty: the webhooks of that sender get a 501. */
    webhookSecrets: ofEach(senderNames, (name) => value[secretVariable(name)]),
    /** Networks that webhooks may be sent to, in addition to the public internet. */
    webhookAllow: value.SVC_WEBHOOK_ALLOW,
    ...stores,
    s3: s3Settings(env, Object.values(stores)),
    publicBaseUrl: value.SVC_PUBLIC_BASE_URL,
    contentUrl: value.SVC_CONTENT_URL || siteUrl,
    uploadBytesMax: value.SVC_MAX_UPLOAD_BYTES,
    uploadSeconds: value.SVC_UPLOAD_TTL,
    viewSeconds: value.SVC_VIEW_TTL,
    retentionDays: value.SVC_RETENTION_DAYS,
    shareDaysMax: value.SVC_SHARE_DAYS,
    runTimeoutSeconds: value.SVC_RUN_TIMEOUT,
    /** Empty: no email is sent. */
    smtpUrl: value.SVC_SMTP_URL,
    oidc: readOidcConfig(value),
    mailFrom: value.SVC_MAIL_FROM || `svc <svc@${new URL(siteUrl).hostname}>`,
    /** Null: the built-in list alone. */
    prices: value.SVC_PRICES,
    /** In PEM; empty: no signer is trusted. */
    c2paTrust: value.SVC_C2PA_TRUST,
    /** The API of each forge; without a token, no comments are posted there. */
    forgeApis: ofEach(forgeNames, (name) => ({
      token: value[tokenVariable(name)],
      url: value[apiVariable(name)],
    })),
  };
}

export type Config = ReturnType<typeof readConfig>;

/** Applies the port the server actually bound; derived URLs change with it. */
export function withPort(config: Config, port: number): Config {
  if (!config.siteIsDerived || port === config.port) return config;
  const siteUrl = config.siteUrl.replace(/:\d+$/, `:${port}`);
  return {
    ...config,
    port,
    siteUrl,
    contentUrl: config.contentUrl === config.siteUrl ? siteUrl : config.contentUrl,
  };
}
