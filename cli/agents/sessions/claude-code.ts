/**
 * Sessions of Claude Code: `projects/<folder>/<session>.jsonl`, and `<session>/subagents/agent-<id>.jsonl`.
 * An answer has a line for each block, all with its usage, and early ones can hold a part of it. A fork
 * begins with a copy of the lines of the session that it continues. (2.1.197; also ccusage 20.0.24)
 */
import { basename, join } from "node:path";
import { subagentId, subagentRunId } from "../../../src/core/agents/subagent-run.ts";
import { runIdOf } from "../../../src/integrations/agent-hooks/session-report.ts";
import { codeOf, countOf, type Fields, nameOf, objectOf, parseLine, timeOf } from "./fields.ts";
import { entriesOf, filesBelow, home, sessionFiles } from "./files.ts";
import { findInHead, firstTimeIn, lastTimeIn, readLines } from "./lines.ts";
import {
  type PastRun,
  type PastStep,
  type Reading,
  type SessionFiles,
  type SessionReader,
  skip,
} from "./session.ts";

const suffix = ".jsonl";

function roots(): string[] {
  const configured = process.env.CLAUDE_CONFIG_DIR?.split(",").map((folder) => folder.trim()) ?? [];
  const xdg = process.env.XDG_CONFIG_HOME || join(home(), ".config");
  const folders = configured.length > 0 ? configured : [join(home(), ".claude"), join(xdg, "claude")];
  return folders.filter(Boolean).map((folder) => join(folder, "projects"));
}

function find(): SessionFiles[] {
  return roots().flatMap((root) =>
    entriesOf(root).flatMap(({ path: folder, isFolder }) => {
      if (!isFolder) return [];
      const sessions = new Map<string, string[]>();
      for (const { name, path, isFolder } of entriesOf(folder)) {
        const key = isFolder ? path : path.slice(0, -suffix.length);
        const own = isFolder
          ? filesBelow(join(path, "subagents"), (name) => name.endsWith(suffix))
          : name.endsWith(suffix)
            ? [path]
            : [];
        // The session itself comes first: a subagent's file can repeat its answers.
        if (own.length > 0)
          sessions.set(
            key,
            isFolder ? [...(sessions.get(key) ?? []), ...own] : [...own, ...(sessions.get(key) ?? [])],
          );
      }
      return [...sessions].flatMap(([key, paths]) => sessionFiles(key, paths) ?? []);
    }),
  );
}

/** A quote within a text is escaped, so this is the field of a line. */
const cwdField = /"cwd":("(?:[^"\\]|\\.)*")/;

const answerMark = Buffer.from('"usage":{');
const linkMark = Buffer.from('"type":"pr-link"');
/** A line of a link is short. */
const linkBytesMax = 4096;

class Session {
  /** By the id of the request. */
  readonly answers = new Map<string, PastStep>();
  readonly messages = new Set<string>();
  last = "";
  branch: string | undefined;
  failed: string | undefined;
  pr: number | undefined;
  /** It begins with answers of another session. */
  isFork = false;

  constructor(readonly reading: Reading) {}

  read(line: Buffer, isWhole: boolean): void {
    const isLink = line.length < linkBytesMax && line.includes(linkMark);
    if (!isLink && !line.includes(answerMark)) return;
    const fields = parseLine(line);
    if (!fields) skip(this.reading.skipped, "broken line", Number(isWhole));
    else if (fields.type === "pr-link") this.pr = countOf(fields.prNumber) || this.pr;
    else if (fields.type === "assistant") this.answer(fields);
  }

  answer(fields: Fields): void {
    const message = objectOf(fields.message);
    const usage = objectOf(message.usage);
    const at = timeOf(fields.timestamp);
    if (at === undefined) {
      skip(this.reading.skipped, "line without a time");
      return;
    }
    if (at > this.last) this.last = at;
    this.branch = branchOf(fields.gitBranch) ?? this.branch;
    if (fields.isApiErrorMessage === true) {
      this.failed = codeOf(fields.error) ?? "unknown";
      return;
    }
    const id = nameOf(message.id);
    const request = nameOf(fields.requestId);
    const key = request ?? id ?? nameOf(fields.uuid);
    if (key === undefined || message.model === "<synthetic>") return;
    const known = this.answers.get(key);
    if (!known && this.isCopy(id, request)) return;
    this.failed = undefined;
    const step = stepOf(message, usage, at, key);
    const cost = fields.costUSD;
    if (typeof cost === "number" && cost > 0) step.cost = cost;
    const branch = branchOf(fields.gitBranch);
    if (branch !== undefined) step.branch = branch;
    if (id !== undefined) this.messages.add(id);
    // The whole line that says most: maxima of each field would mix models after a fallback.
    if (!known || (step.tokens_out ?? 0) >= (known.tokens_out ?? 0))
      this.answers.set(key, { ...step, at: known?.at ?? at });
  }

  /** Of another session, or of an answer of this one that a side question repeats under another request. */
  isCopy(id: string | undefined, request: string | undefined): boolean {
    const { calls } = this.reading;
    if (id !== undefined && this.messages.has(id)) return true;
    const isKnown = [id, request].some((one) => one !== undefined && calls.has(one));
    if (isKnown && this.answers.size === 0) this.isFork = true;
    return isKnown;
  }
}

const branchOf = (value: unknown): string | undefined => (value === "HEAD" ? undefined : nameOf(value, 255));

function stepOf(message: Fields, usage: Fields, at: string, key: string): PastStep {
  const model = nameOf(message.model);
  const written = objectOf(usage.cache_creation);
  const hour = countOf(written.ephemeral_1h_input_tokens);
  return {
    at,
    key,
    ...(model !== undefined && { model }),
    provider: "anthropic",
    tokens_in: countOf(usage.input_tokens),
    tokens_out: countOf(usage.output_tokens),
    cache_read: countOf(usage.cache_read_input_tokens),
    cache_write: countOf(usage.cache_creation_input_tokens),
    ...(hour > 0 && { cache_write_1h: hour }),
  };
}

async function read(files: SessionFiles, reading: Reading): Promise<PastRun[]> {
  const id = runIdOf(basename(files.key));
  const runs: PastRun[] = [];
  let main: Session | undefined;
  for (const path of files.paths) {
    const session = new Session(reading);
    if (main) for (const message of main.messages) session.messages.add(message);
    await readLines(path, {
      line: (line, isWhole) => session.read(line, isWhole),
      advance: reading.advance,
      tooLong: () => skip(reading.skipped, "line of over 32 MB"),
    });
    const agent = subagentId(/^agent-(.+)\.jsonl$/.exec(basename(path))?.[1]);
    const ids = agent === undefined ? { id } : { id: subagentRunId(id, agent), parent: id };
    const times = { first: firstTimeIn(path), last: lastTimeIn(path, files.changedAt) };
    const run = runOf(session, ids, times);
    if (run) runs.push(run);
    if (!main) main = session;
    for (const [key] of session.answers) reading.calls.add(key);
    for (const message of session.messages) reading.calls.add(message);
  }
  return runs;
}

interface Times {
  first: string | undefined;
  last: string | undefined;
}

/** Null for a session without an answer of its own, such as one that was only opened. */
function runOf(session: Session, ids: Pick<PastRun, "id" | "parent">, times: Times): PastRun | null {
  const { branch, failed, pr } = session;
  const steps = [...session.answers.values()];
  const started_at = session.isFork ? steps[0]?.at : (times.first ?? steps[0]?.at);
  if (started_at === undefined || (steps.length === 0 && failed === undefined)) return null;
  for (const step of steps) if (step.branch === branch) delete step.branch;
  return {
    ...ids,
    ...(branch !== undefined && { branch }),
    ...(pr !== undefined && { pr }),
    ...(failed !== undefined && { failed }),
    started_at,
    last_at: [session.last, times.last ?? "", started_at].toSorted().at(-1) as string,
    steps,
  };
}

export const claudeCode: SessionReader = {
  agent: "claude-code",
  find,
  placeOf({ paths: [path = ""] }) {
    const cwd = findInHead(path, cwdField);
    return { folder: cwd === undefined ? null : (JSON.parse(cwd) as string), startedAt: firstTimeIn(path) };
  },
  read,
};
