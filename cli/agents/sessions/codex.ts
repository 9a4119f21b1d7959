/**
 * Sessions of Codex: `sessions/<year>/<month>/<day>/rollout-*.jsonl`, and `archived_sessions`. 0.171.0 has a
 * record for each response; earlier versions repeat a running total. Forks and subagents of those begin with
 * the history of their parent. (0.171.0; also ccusage 20.0.24)
 */
import { basename, join } from "node:path";
import { runIdOf } from "../../../src/integrations/agent-hooks/session-report.ts";
import { remoteOf } from "../../repository/git-place.ts";
import { codeOf, countOf, type Fields, nameOf, objectOf, parseLine, parseText, timeOf } from "./fields.ts";
import { filesBelow, home, sessionFiles } from "./files.ts";
import { firstTimeIn, lastTimeIn, readHead, readLines } from "./lines.ts";
import { type PastRun, type PastStep, type Reading, type SessionReader, skip } from "./session.ts";

const root = (): string => process.env.CODEX_HOME || join(home(), ".codex");

function find() {
  const isRollout = (name: string) => name.startsWith("rollout-") && name.endsWith(".jsonl");
  const active = filesBelow(join(root(), "sessions"), isRollout);
  const names = new Set(active.map((path) => basename(path)));
  const archived = filesBelow(join(root(), "archived_sessions"), isRollout);
  const all = [...active, ...archived.filter((path) => !names.has(basename(path)))];
  return all.flatMap((path) => sessionFiles(basename(path), [path]) ?? []);
}

/** The first line, which is about the session. */
function metaOf(path: string): Fields {
  const head = readHead(path);
  return objectOf(parseText(head.slice(0, head.indexOf("\n")))?.payload);
}

/** The types of lines that are read stand before any text. */
const typeBytes = 256;
const types = /"type":"(?:session_meta|turn_context|token_usage_record|token_count|task_complete)"/;

class Rollout {
  readonly records: PastStep[] = [];
  /** By running totals. */
  readonly counts: PastStep[] = [];
  meta: Fields | undefined;
  model: string | undefined;
  failed: string | undefined;
  total = "";

  constructor(
    readonly reading: Reading,
    readonly parent: string | undefined,
  ) {}

  read(line: Buffer, isWhole: boolean): void {
    if (!types.test(line.toString("latin1", 0, typeBytes))) return;
    const fields = parseLine(line);
    if (!fields) {
      skip(this.reading.skipped, "broken line", Number(isWhole));
      return;
    }
    const payload = objectOf(fields.payload);
    const at = timeOf(fields.timestamp);
    if (fields.type === "session_meta") this.meta ??= payload; // later ones are of ancestors
    if (fields.type === "turn_context") this.model = nameOf(payload.model) ?? this.model;
    if (payload.type === "task_complete") {
      const error = objectOf(payload.error);
      this.failed = payload.error == null ? undefined : (codeOf(error.codex_error_info) ?? "error");
    }
    if (at === undefined) return;
    if (fields.type === "token_usage_record")
      this.records.push({ ...this.stepOf(objectOf(payload.usage), at), ...keyOf(payload.response_id) });
    if (payload.type === "token_count") this.count(objectOf(payload.info), at);
  }

  /** The same total is sent again with every change of a limit. */
  count(info: Fields, at: string): void {
    const sums = objectOf(info.total_token_usage);
    const total = ["input_tokens", "cached_input_tokens", "output_tokens"]
      .map((name) => countOf(sums[name]))
      .join(" ");
    if (total === this.total || countOf(sums.input_tokens) + countOf(sums.output_tokens) === 0) return;
    this.total = total;
    const { calls } = this.reading;
    const isCopy = this.parent !== undefined && calls.has(`${this.parent} ${total}`);
    calls.add(`${nameOf(this.meta?.id)} ${total}`);
    if (!isCopy) this.counts.push(this.stepOf(objectOf(info.last_token_usage), at));
  }

  /** The cache is part of the input, and reasoning of the output. */
  stepOf(usage: Fields, at: string): PastStep {
    const cache_read = countOf(usage.cached_input_tokens);
    const cache_write = countOf(usage.cache_write_input_tokens);
    return {
      at,
      ...(this.model !== undefined && { model: this.model }),
      provider: "openai",
      tokens_in: Math.max(0, countOf(usage.input_tokens) - cache_read - cache_write),
      tokens_out: countOf(usage.output_tokens),
      cache_read,
      cache_write,
    };
  }
}

const keyOf = (id: unknown): Pick<PastStep, "key"> => {
  const key = nameOf(id);
  return key === undefined ? {} : { key };
};

/** A subagent is a session of its own. */
const parentOf = ({ source }: Fields): string | undefined =>
  nameOf(objectOf(objectOf(objectOf(source).subagent).thread_spawn).parent_thread_id);

export const codex: SessionReader = {
  agent: "codex",
  find,
  placeOf({ paths: [path = ""] }) {
    const { cwd, git, timestamp } = metaOf(path);
    const url = objectOf(git).repository_url;
    return {
      folder: typeof cwd === "string" ? cwd : null,
      remote: typeof url === "string" ? remoteOf(url) : null,
      startedAt: timeOf(timestamp),
    };
  },
  async read({ paths: [path = ""], changedAt }, reading) {
    const head = metaOf(path);
    const parent = parentOf(head);
    const rollout = new Rollout(reading, parent ?? nameOf(head.forked_from_id));
    await readLines(path, {
      line: (line, isWhole) => rollout.read(line, isWhole),
      advance: reading.advance,
      tooLong: () => skip(reading.skipped, "line of over 32 MB"),
    });
    const { meta = {}, records, counts, failed } = rollout;
    const id = nameOf(meta.id);
    const steps = records.length > 0 ? records : counts;
    const started_at = timeOf(meta.timestamp) ?? firstTimeIn(path);
    if (id === undefined || started_at === undefined || (steps.length === 0 && failed === undefined))
      return [];
    const branch = nameOf(objectOf(meta.git).branch, 255);
    const run: PastRun = {
      id: runIdOf(id),
      ...(parent !== undefined && { parent }),
      ...(branch !== undefined && { branch }),
      ...(failed !== undefined && { failed }),
      started_at,
      last_at: lastTimeIn(path, changedAt) ?? started_at,
      steps,
    };
    return [run];
  },
};
