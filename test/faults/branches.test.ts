/**
 * The tests of what must not fail quietly, once more over sources that count which of their branches are
 * taken (Bun counts lines and functions alone). Only these files, in the processes of the tests: what the
 * executable does, other children, and the thread of the stores is not seen, and `a?.b` is no branch to the
 * counter.
 */
import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "../support/harness.ts";
import { limits, measured, scale } from "./promises.ts";

const names = Object.entries({
  "library/assets": [
    "asset",
    "file-headers",
    "file-names",
    "file-urls",
    "files",
    "finalize",
    "library",
    "orphans",
    "publication",
    "refused-uploads",
    "reservations",
    "retention",
    "review",
    "upload-kinds",
    "uploads",
    "versions",
  ],
  "core/audit": ["audit"],
  "core/auth": ["access", "scopes"],
  db: ["append", "atomically", "counters", "data"],
  feed: ["cursor", "live", "live-server", "paging"],
  "api/http": [
    "cors",
    "errors",
    "event-input",
    "form-connections",
    "forms",
    "http",
    "input",
    "json-bodies",
    "metrics",
    "rate-limit-headers",
  ],
  "feed/ingest": ["import"],
  "integrations/forges": ["github", "github-changes", "github-requests", "github-signatures"],
  "api/mcp": ["authors", "prompts", "scopes", "suggestions"],
  "files/stores": [
    "disk",
    "disk-files",
    "keys",
    "s3",
    "s3-answers",
    "s3-faults",
    "s3-objects",
    "s3-server",
    "store",
    "store-list",
    "store-objects",
  ],
  web: ["form", "pages", "sessions", "site"],
}).flatMap(([folder, files]) => files.map((file) => `${folder}/${file}`));

test.skipIf(scale !== "full")(
  "the tests of auth, ingest, stores, feed and signing take the branches of those",
  async () => {
    const { branchesTaken, countersFolder } = await import("./branches.ts"); // which loads a compiler
    await using folder = await temporaryFolder();
    const { SVC_TEST_REACHED: _, ...env } = process.env;
    const files = names.map((name) => join(import.meta.dir, `../${name}.test.ts`));
    const flags = [
      "--timeout=60000",
      `--parallel=${availableParallelism()}`,
      "--retry=1",
      "--dots",
      "--preload",
      join(import.meta.dir, "instrumented.ts"),
    ];
    const child = Bun.spawn([process.execPath, "--no-orphans", "test", ...flags, ...files], {
      env: { ...env, SVC_TEST_SCALE: "suite", [countersFolder]: folder.path },
      stdio: ["ignore", "inherit", "inherit"],
    });
    const code = await child.exited;
    const { total, taken, others } = branchesTaken(folder.path);
    process.stdout.write(`${taken} of ${total} branches are taken; not these:\n${others.join("\n")}\n`);
    const share = (100 * (total - taken)) / total;
    measured("branches", share);
    expect(code).toBe(0);
    expect(share).toBeLessThanOrEqual(limits.branches.atMost);
  },
);
