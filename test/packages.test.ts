/** Packages stay in their rooms, each with a reason and one version. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import clientManifest from "../cli/client/package.json";
import manifest from "../package.json";
import { repositoryRoot as root } from "./support/repository.ts";
import { isOurs, sources } from "./support/sources.ts";

const imports = sources.flatMap(({ path, imports }) => imports.map((to) => ({ from: path, to })));

describe("packages", () => {
  /** Package → where it may be imported. */
  const homes: Record<string, RegExp> = {
    "@aws-sdk/client-s3": /^src\/files\/stores\/s3\//,
    "@elysiajs/swagger": /^src\/api\/http\//,
    "@orama/stemmers": /^src\/core\/text\//,
    "@modelcontextprotocol/server": /^src\/api\/mcp\//,
    "@sinclair/typebox": /^src\//,
    "@zip.js/zip.js": /^(src\/(files\/probe|api\/plugins)|cli\/release)\//,
    "@smithy/core": /^src\/files\/stores\/s3\//,
    "@smithy/signature-v4": /^src\/files\/stores\/s3\//,
    "bun:sqlite": /^(db|cli\/agents\/sessions)\//,
    "@decimalturn/toml-patch": /^cli\/agents\/connect\//,
    chardet: /^src\/files\/probe\//,
    "html-encoding-sniffer": /^src\/files\/probe\//,
    citty: /^cli\//,
    consola: /^cli\//,
    diff: /^(src\/web|cli\/agents\/connect)\//,
    "drizzle-orm": /^db\//,
    elysia: /^src\/(web\/(app|site|share-site)\.ts$|api\/http\/)/,
    "eventsource-parser": /^cli\//,
    fontkit: /^src\/files\/probe\//,
    hyparquet: /^src\/files\/probe\//,
    "file-type": /^src\/files\/probe\//,
    "ipaddr.js": /^src\/core\/lib\//,
    "jsonc-parser": /^cli\/agents\/(acp|connect)\//,
    mediabunny: /^src\/files\/probe\//,
    "music-metadata": /^src\/files\/probe\//,
    mime: /^src\/core\/lib\//,
    nodemailer: /^src\/integrations\/email\//,
    "modern-tar": /^(src\/api\/backup|cli\/release)\//,
    "openapi-fetch": /^cli\//,
    "openapi-typescript": /^cli\//,
    "openid-client": /^src\/core\/auth\/oidc\//,
    "@google/model-viewer": /^src\/web\/models\//,
    papaparse: /^src\/(web\/desk\/text|files\/probe\/likeness)\//,
    "pdfjs-dist": /^src\/(web|files\/probe)\//,
    pixelmatch: /^src\/web\//,
    "swagger-ui-dist": /^src\/api\/http\//,
    preact: /^src\/web\//,
    "preact-render-to-string": /^src\/web\//,
    "@pydantic/genai-prices": /^src\/integrations\/telemetry\//,
    re2js: /^src\/(feed\/projects|memory\/checks)\//,
    ulid: /^src\//,
  };
  // The transpiler does not read tsconfig.json, so it names React where JSX is; ours is Preact.
  const packageOf = (path: string): string =>
    /^(@[^/]+\/[^/]+|[^/]+)/.exec(path)?.[0].replace(/^react$/, "preact") ?? path;

  test("stay in their rooms, and each has one", () => {
    const foreign = imports.filter(({ to }) => !isOurs(to) && !to.startsWith("node:") && to !== "bun");
    expect(
      foreign
        .filter(({ from, to }) => !homes[packageOf(to)]?.test(from))
        .map(({ from, to }) => `${from} imports ${to}`),
    ).toEqual([]);
  });

  test("are listed on the Architecture page, each with the reason for it", async () => {
    const page = await Bun.file(join(root, "ARCHITECTURE.md")).text();
    const rows = [...page.slice(page.indexOf("## Dependencies")).matchAll(/^\| (`.+`) \| (.{10,}) \|$/gm)];
    const listed = rows.flatMap(([, names = ""]) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    const packages = [manifest, clientManifest].flatMap((one) =>
      Object.keys({ ...one.dependencies, ...one.devDependencies }),
    );
    expect(listed.toSorted()).toEqual([...new Set(packages)].toSorted());
  });

  test("are pinned to one version each", () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test("of Bun that talk to databases and buckets stay there as well", () => {
    const where = (words: RegExp) =>
      sources.filter(({ text }) => words.test(text)).map(({ path }) => path.split("/")[0]);
    expect(new Set(where(/\bnew SQL\(|\bBun\.sql\b/))).toEqual(new Set(["db"]));
    expect(
      sources
        .filter(
          ({ path, text }) => /\bS3Client\(|\bBun\.s3\b/.test(text) && !path.startsWith("src/files/stores/"),
        )
        .map((one) => one.path),
    ).toEqual([]);
  });
});
