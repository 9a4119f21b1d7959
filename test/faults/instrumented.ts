/**
 * Loaded before the tests that test/faults/branches.test.ts runs, and never otherwise: gives each branch its
 * counter.
 */
import { afterAll } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { plugin } from "bun";
import { counters, countersFolder, counting, modules } from "./branches.ts";

plugin({
  name: "branches",
  setup: (build) =>
    void build.onLoad({ filter: modules }, ({ path }) => ({ contents: counting(path), loader: "ts" })),
});

/** Each file of tests has its own globals. */
const place = join(process.env[countersFolder] as string, `${crypto.randomUUID()}.json`);
afterAll(() => writeFileSync(place, JSON.stringify((globalThis as Record<string, unknown>)[counters] ?? {})));
