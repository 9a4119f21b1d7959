/**
 * The published test set of recall: decisions, preferences, reviews and events of five fictional teams, and
 * graded queries. All of it was written for this test.
 */
import { join } from "node:path";
import type { Context } from "../../../src/api/context.ts";
import type { Data } from "../../../src/api/port.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { type Micros, toMicros } from "../../../src/core/lib/time.ts";
import type { EventKind } from "../../../src/feed/schema.ts";
import { recall } from "../../../src/memory/recall/recall.ts";
import type { GuidanceSection } from "../../../src/memory/rows.ts";

export const projects = ["atlas", "beacon", "cargo", "loom", "quill"] as const;

export interface Memory {
  /** `atlas/route-cache` */
  key: string;
  /** Null for a global memory. */
  project: string | null;
  kind: "decision" | "review" | "preference" | "guidance" | EventKind;
  text: string;
  /** Key of the decision that superseded it. */
  replacedBy?: string;
}

export interface Query {
  /** What it tests: plain words, identifiers, typos. */
  kind: string;
  /** Null for a search in all projects. */
  project: string | null;
  text: string;
  /** Grades by key of the memory. 3: the answer; 2: part of it; 1: related. */
  grades: Map<string, number>;
}

const linesOf = async (name: string): Promise<string[]> =>
  (await Bun.file(join(import.meta.dir, name)).text())
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

/** Reads the memories of these projects; null is for the global ones. */
export async function readMemories(
  names: readonly (string | null)[] = [...projects, null],
): Promise<Memory[]> {
  const files = await Promise.all(
    names.map(async (project) => ({
      project,
      lines: await linesOf(`${project ?? "all"}.txt`),
    })),
  );
  return files.flatMap(({ project, lines }) => lines.map((line) => readMemory(project, line)));
}

function readMemory(project: string | null, line: string): Memory {
  const [, kind, handle, replacement, text] =
    /^(\S+) ([\w-]+)(?: \(replaced by ([\w-]+)\))?: (.+)$/.exec(line) ?? [];
  if (!kind || !handle || !text) throw new Error(`not a memory: ${line}`);
  const keyOf = (name: string) => `${project ?? "all"}/${name}`;
  return {
    key: keyOf(handle),
    project,
    kind: kind as Memory["kind"],
    text,
    ...(replacement && { replacedBy: keyOf(replacement) }),
  };
}

export async function readQueries(memories: readonly Memory[], file = "queries.txt"): Promise<Query[]> {
  return (await linesOf(file)).map((line) => {
    const [kind = "", scope = "", text = "", graded = ""] = line.split(" | ");
    const project = scope === "*" ? null : scope;
    const grades = graded.split(" ").map((pair) => {
      const [name = "", grade] = pair.split("=");
      return [keyNamed(memories, project, name), Number(grade)] as const;
    });
    return { kind, project, text, grades: new Map(grades) };
  });
}

/** The memory that a query means: of its project, or the only one of that name. */
function keyNamed(memories: readonly Memory[], project: string | null, name: string): string {
  const fits = memories.filter(
    ({ key }) =>
      key === name || key === `${project}/${name}` || (project === null && key.endsWith(`/${name}`)),
  );
  if (fits.length !== 1) throw new Error(`${fits.length} memories are called ${name}`);
  return (fits[0] as Memory).key;
}

const start = toMicros("2026-01-05T08:00:00Z");
const hour = 3_600_000_000;

/** Stores memories by their kind, an hour apart, in a fixed order that mixes the kinds. */
export async function fill(data: Data, memories: readonly Memory[]): Promise<void> {
  await data.atomically(async (writes) => {
    for (const slug of new Set(memories.flatMap(({ project }) => project ?? [])))
      await writes.linkProject({ slug, repo: `acme/${slug}` }, start);
    const ids = new Map<string, number>();
    const mixed = memories
      .map((memory, index) => ({ memory, order: (index * 149) % memories.length }))
      .toSorted((a, b) => a.order - b.order);
    const timeOf = new Map<string, Micros>(
      mixed.map(({ memory }, index) => [memory.key, start + index * hour]),
    );
    for (const { memory } of mixed.filter(({ memory }) => memory.replacedBy))
      await add(memory, (timeOf.get(memory.replacedBy as string) as Micros) - hour / 2);
    for (const { memory } of mixed.filter(({ memory }) => !memory.replacedBy))
      await add(memory, timeOf.get(memory.key) as Micros);
    await addGuidance();

    async function add({ key, project, kind, text }: Memory, at: Micros): Promise<void> {
      const fields = { source: "cli", source_ref: null, actor: "human:maria", valid_from: at };
      if (kind === "preference") {
        const [name = "", value = ""] = text.split(" = ");
        await writes.setPreference({ ...fields, project, key: name, value });
      } else if (kind === "decision" || kind === "review") {
        const replaced = memories.find(({ replacedBy }) => replacedBy === key);
        const supersedes = replaced && ids.get(replaced.key);
        const source = kind === "review" ? "review" : "cli";
        const row = await writes.addDecision({
          ...fields,
          source,
          project: project as string,
          text,
          ...(supersedes && { supersedes }),
        });
        ids.set(key, row?.id as number);
      } else if (kind !== "guidance") {
        await writes.append([{ kind, actor: "agent:codex", project, summary: text, ts: at }]);
      }
    }

    async function addGuidance(): Promise<void> {
      const sections = memories
        .filter(({ kind }) => kind === "guidance")
        .map(({ text }) => readGuidance(text));
      for (const [model, list] of Map.groupBy(sections, (one) => one.model)) {
        const row = { id: model, provider: "a vendor", lanes: [], guidance_count: 0, skill_count: 0 };
        await writes.saveModel({ ...row, onboarded_at: start, refreshed_at: null });
        await writes.saveGuidance(
          model,
          `https://vendor.test/${model}`,
          list.map(({ model: _, ...section }) => section),
          start,
        );
      }
    }
  });
}

function readGuidance(line: string): GuidanceSection & { model: string } {
  const [headings = "", text = ""] = line.split(" :: ");
  const [model = "", ...path] = headings.split(" › ");
  return { model, file: "guide.md", path, text };
}

/** The key of what was found, by its text. */
export const keysByText = (memories: readonly Memory[]): Map<string, string> =>
  new Map(
    memories.map(({ key, project, kind, text }) => {
      const shown =
        kind === "preference" ? text.split(" = ")[1] : kind === "guidance" ? text.split(" :: ")[1] : text;
      return [`${project ?? ""} ${shown}`, key];
    }),
  );

/** What recall answers to each query, as keys of memories. */
export async function answersOf(
  ctx: Pick<Context, "data" | "now">,
  memories: readonly Memory[],
  queries: readonly Query[],
): Promise<string[][]> {
  const keys = keysByText(memories);
  const answers: string[][] = [];
  for (const { text, project } of queries) {
    const { hits } = await recall(
      ctx,
      { query: text, limit: 10, ...(project !== null && { project }) },
      adminCaller,
    );
    answers.push(hits.map((hit) => keys.get(`${hit.project ?? ""} ${hit.text}`) as string));
  }
  return answers;
}
